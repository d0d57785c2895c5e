import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import agent from './index.ts'

const native = '8b00fa32-2547-47d3-9545-45eb4f395342'
const task = (n: number): string => `7a5c0000-0000-4000-8000-00000000000${n}`

describe('auggie: parts of a session', () => {
  test('its file, and those tasks of its list that exist', () => {
    const io = fixtureHome(agent, '0.36.0')
    const file = join(io.home, '.augment', 'sessions', `${native}.json`)
    const session = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...session, rootTaskUuid: task(1) }))
    const tasks = join(io.home, '.augment', 'task-storage', 'tasks')
    mkdirSync(tasks, { recursive: true })
    // A cycle, a missing task, and a name that leads out of the folder.
    writeFileSync(join(tasks, task(1)), JSON.stringify({ subTasks: [task(2), task(3), '../../settings.json'] }))
    writeFileSync(join(tasks, task(2)), JSON.stringify({ subTasks: [task(1)] }))
    writeFileSync(join(tasks, task(4)), JSON.stringify({ subTasks: [] }))
    expect(keptPaths(agent, native, io)).toEqual([
      `sessions/${native}.json`,
      `task-storage/tasks/${task(1)}`,
      `task-storage/tasks/${task(2)}`,
    ])
  })

  test.each(['session.json', 'settings.json', '.auggie.json', 'task-storage/manifest/manifest', 'sessions/a/b.json'])(
    '%s is not an allowed path',
    (path) => {
      expect(isLetIn(agent, path)).toBe(false)
    },
  )
})
