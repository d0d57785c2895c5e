import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { until } from '../../test/support/wait-until.ts'
import type { Agent } from '../agents/agent.ts'
import type { Io } from '../platform/io.ts'
import { beginFirstStart, type FirstStart } from './first-start.ts'

function world(): { io: Io; notices: string[]; begin(): Promise<FirstStart | undefined>; create(): void } {
  const io = scratchIo()
  const folder = join(io.home, 'store')
  mkdirSync(folder)
  const agent = { title: 'Made', start: { createsDatabases: () => ({ folder, name: /\.db$/ }) } } as unknown as Agent
  const notices: string[] = []
  return {
    io,
    notices,
    begin: () => beginFirstStart(agent, io, (line) => notices.push(line)),
    create: () => writeFileSync(join(folder, 'sessions.db'), 'x'),
  }
}

test('a second first start waits until the first has created the databases, and is then an ordinary one', async () => {
  const { begin, create, notices } = world()
  const first = await begin()
  first!.watch(new Promise(() => {}))
  let second: FirstStart | undefined | 'waiting' = 'waiting'
  void begin().then((begun) => (second = begun))
  await until(() => expect(notices).toHaveLength(1))
  expect(second).toBe('waiting')
  create()
  await until(() => expect(second).toBeUndefined())
  expect(await begin()).toBeUndefined()
  expect(notices).toHaveLength(1)
})

test('if the first ends or cannot be started without creating any, the second is the first', async () => {
  const { begin } = world()
  const first = await begin()
  const second = begin()
  first!.watch(Promise.resolve())
  const third = begin()
  ;(await second)!.release()
  expect(await third).toBeDefined()
})

test('an agent that declares no databases does not wait', async () => {
  const { io } = world()
  expect(await beginFirstStart({ start: {} } as unknown as Agent, io, () => {})).toBeUndefined()
})
