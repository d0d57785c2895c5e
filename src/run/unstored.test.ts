import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { StartRequest } from '../agents/start.ts'
import { whyUnstored } from './unstored.ts'

interface World {
  readonly store: string
  readonly robot: Agent
  readonly request: Pick<StartRequest, 'args' | 'cwd' | 'io'>
}

function setUp(): World {
  const io = scratchIo()
  const store = join(io.home, '.robot')
  const robot = {
    title: 'Robot',
    start: { storingDisabledBy: ({ args }: { args: readonly string[] }) => args.find((arg) => arg === '--forget') },
    sources: () => [],
    paths: () => [{ path: store, what: 'sessions', env: [] }],
  } as unknown as Agent
  return { store, robot, request: { args: [], cwd: io.home, io } }
}

test('an argument that switches storing off is named', () => {
  const { robot, request } = setUp()
  expect(whyUnstored(robot, { ...request, args: ['--forget'] })).toBe('storing is switched off by --forget')
})

test('a store that cannot be read is the reason', () => {
  const { robot, store, request } = setUp()
  const unreadable = { ...robot, sources: () => [{ code: 'cannot_read', problem: 'EACCES', path: store }] }
  expect(whyUnstored(unreadable as unknown as Agent, request)).toBe('~/.robot: EACCES')
})

test('a store that can be written to, or created, is no reason', () => {
  const { robot, store, request } = setUp()
  expect(whyUnstored(robot, request)).toBeUndefined()
  mkdirSync(join(store, 'sessions'), { recursive: true })
  expect(whyUnstored(robot, request)).toBeUndefined()
})

test.skipIf(process.getuid?.() === 0)('a folder of the store that is not writable is the reason', () => {
  const { robot, store, request } = setUp()
  mkdirSync(join(store, 'locked'), { recursive: true })
  chmodSync(join(store, 'locked'), 0o500)
  expect(whyUnstored(robot, request)).toBe('~/.robot/locked is not writable')
})
