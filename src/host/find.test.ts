import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { taskState } from '../run/task-state.ts'
import { chooseTask } from './find.ts'
import type { ActiveTask } from './tasks.ts'

const id = '3f2a0000-0000-4000-8000-000000000001'

function at(agent: string, name: string, project: string, session?: string): ActiveTask {
  return {
    task: { agent, name, project, folder: `/tasks/${project}/${agent}-${name}` },
    state: {
      ...taskState([]),
      session: session === undefined ? undefined : { native_id: session, files: [], cwd: project },
    },
    holder: undefined,
    orphans: [],
  }
}

function world(): { io: ReturnType<typeof scratchIo>; tasks: ActiveTask[] } {
  const io = scratchIo()
  const tasks = [at('one', 'main', io.home, id), at('one', 'docs', io.home), at('two', 'main', '/elsewhere')]
  return { io, tasks }
}

test('by agent, name, both or session; tasks of this project take precedence', () => {
  const { io, tasks } = world()
  const found = (reference: string): string => {
    const { agent, name } = chooseTask(tasks, reference, io).task
    return `${agent}-${name}`
  }
  expect(['docs', 'one-docs', 'one:docs', 'one', 'two', 'main', '3f2a'].map(found)).toEqual([
    'one-docs',
    'one-docs',
    'one-docs',
    'one-main',
    'two-main',
    'one-main',
    'one-main',
  ])
})

test('without a reference the only task; otherwise the candidates are listed', () => {
  const { io, tasks } = world()
  expect(chooseTask(tasks.slice(1), undefined, io)).toBe(tasks[1])
  expect(chooseTask(tasks.slice(2), undefined, io)).toBe(tasks[2])
  expect(() => chooseTask(tasks, undefined, io)).toThrow(
    expect.objectContaining({ kind: 'usage', hint: `one of: one-main (3f2a0000), one-docs` }),
  )
  expect(() => chooseTask(tasks, 'three', io)).toThrow(
    expect.objectContaining({
      kind: 'not-found',
      hint: 'tasks: one-main (3f2a0000) in ~, one-docs in ~, two-main in /elsewhere',
    }),
  )
  expect(() => chooseTask([], undefined, io)).toThrow(
    expect.objectContaining({ kind: 'not-found', hint: 'ion ps --all' }),
  )
})
