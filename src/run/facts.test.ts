import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { gatherFacts } from './facts.ts'
import type { TaskState } from './task-state.ts'

const session = { native_id: 'n1', files: [], cwd: '/home/dev/shop' }
const state: TaskState = { session, past: [], attempts: [], runs: [], args: [], lastAt: undefined }
const head = { id: 'i', native_id: 'n1', path: '/store', resumable: true } as SessionHead

/** An agent whose store cannot be read the first `times`. */
function busy(times: number, retryable: boolean): Agent {
  let left = times
  return {
    start: { sessionId: 'assigned' },
    sources: () => [{ path: '/store', files: [{ path: '/store' }] }],
    heads: () =>
      left-- > 0
        ? [{ code: 'locked', problem: 'cannot read the database', path: '/store', ...(retryable ? { retryable } : {}) }]
        : [head],
    live: () => new Map(),
  } as unknown as Agent
}

test('a store that is being written is read again', () => {
  const io = scratchIo()
  expect(gatherFacts(busy(3, true), io.home, state, io, () => new Set())).toMatchObject({
    session: { head },
    unreadable: undefined,
  })
})

test('a store that stays unreadable is reported', () => {
  const io = scratchIo()
  expect(gatherFacts(busy(99, true), io.home, state, io, () => new Set())).toMatchObject({
    session: undefined,
    missingSession: undefined,
    unreadable: '/store: cannot read the database',
  })
})
