import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import type { SessionHead } from '../events/session.ts'
import { gatherFacts } from './facts.ts'
import { promptIdentity, savePrompt } from './prompt.ts'
import type { RunState, TaskState } from './task-state.ts'

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

test('a prompt is not pending because its session could not be read just then', () => {
  const io = scratchIo()
  const prompt = promptIdentity('the prompt')
  savePrompt('the prompt', io.home)
  const run = { run: 'r1', program: 'agent', prompt: { ...prompt, state: 'handed over' } } as unknown as RunState
  let left = 3
  const agent: Agent = {
    ...busy(0, true),
    read: () =>
      left-- > 0
        ? [{ code: 'locked', problem: 'cannot read the database', path: '/store', retryable: true }]
        : [{ event: { type: 'user', content: [{ type: 'text', text: 'the prompt' }] } as IonEvent }],
  }
  expect(gatherFacts(agent, io.home, { ...state, runs: [run] }, io, () => new Set())).toMatchObject({
    session: { head },
    pendingPrompt: undefined,
    news: [{ type: 'prompt', run: 'r1', hash: prompt.hash, state: 'seen' }],
  })
})
