import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { decide } from '../../run/decide.ts'
import { type Facts, gatherFacts } from '../../run/facts.ts'
import { Follower } from '../../run/follow.ts'
import type { LedgerEntry } from '../../run/ledger.ts'
import { type ComposedPlan, composePlan } from '../../run/plan.ts'
import { promptIdentity, savePrompt } from '../../run/prompt.ts'
import { taskState } from '../../run/task-state.ts'
import agent from './index.ts'

// The current build keeps threads on its server: what Ion may conclude without reading them.

const THREAD = 'T-01a1e19b-7ad0-74af-bf7d-be9938935047'
const TASK = 'Fix the refund test'
const { hash, length } = promptIdentity(TASK)

function ledger(...more: object[]): LedgerEntry[] {
  const cold = { type: 'planned', decision: 'cold', reason: '', way: 'headless', cwd: '/home/dev/shop', args: [] }
  const entries = [
    { ...cold, session: 'fresh', prompt: { hash, length } },
    { type: 'launching', program: 'amp' },
    { type: 'session', native_id: THREAD, files: [], cwd: '/home/dev/shop', how: 'told' },
    { type: 'prompt', hash, state: 'handed over' },
    ...more,
  ]
  return entries.map((entry) => ({ at: '2026-11-15T23:00:00Z', run: 'r1', ...entry }) as LedgerEntry)
}

function factsOf(io: Io, ...more: object[]): Facts {
  const folder = join(io.home, 'task')
  savePrompt(TASK, folder)
  return gatherFacts(agent, folder, taskState(ledger(...more)), io, () => new Set())
}

/** As Amp records the last thread of a folder. */
function noteThread(io: Io): void {
  const folder = join(io.home, '.local/share/amp/last-threads')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '0123456789abcdef-execute-session.json'), JSON.stringify(THREAD))
}

describe('amp: a thread on the server, at the next start', () => {
  const seen = { type: 'prompt', hash, state: 'seen' }

  test('exists once the prompt arrived in it, even without a trace on this machine', () => {
    const facts = factsOf(scratchIo(), seen, { type: 'exited', code: 0, signal: null })
    expect(facts.session?.head.native_id).toBe(THREAD)
    expect([facts.missingSession, facts.pendingPrompt]).toEqual([undefined, undefined])
  })

  test('does not count as existing when nothing arrived', () => {
    const facts = factsOf(scratchIo(), { type: 'exited', code: 1, signal: null })
    expect([facts.session, facts.missingSession, facts.pendingPrompt?.text]).toEqual([undefined, THREAD, TASK])
  })

  test('counts as having received the prompt after a kill, but not after a failure', () => {
    const io = scratchIo()
    noteThread(io)
    expect(factsOf(io)).toMatchObject({ pendingPrompt: undefined, news: [{ run: 'r1', ...seen }] })
    expect(factsOf(io, { type: 'exited', code: null, signal: 'SIGKILL' }).pendingPrompt).toBeUndefined()
    expect(factsOf(io, { type: 'exited', code: 1, signal: null }).pendingPrompt?.text).toBe(TASK)
  })
})

describe('amp: a thread on the server, while it runs', () => {
  function followed(io: Io, code: number, says: boolean): object[] {
    const notes: object[] = []
    const follower = new Follower({
      agent,
      composed: coldStart(io),
      folder: join(io.home, 'task'),
      io,
      since: io.now(),
      seenBefore: 0,
      others: () => new Set(),
      note: (entry) => notes.push(entry),
    })
    follower.reportSession(THREAD)
    if (says) follower.confirm()
    follower.end(code)
    return notes.filter((note) => 'state' in note)
  }

  function coldStart(io: Io): ComposedPlan {
    const wish = { agent, command: 'ion run amp', cwd: io.home, mode: 'headless', prompt: TASK } as const
    const facts = gatherFacts(agent, join(io.home, 'none'), taskState([]), io, () => new Set())
    const verdict = decide(
      { ...wish, send: false, isNew: false, steal: false, onOtherPrompt: 'refuse' },
      taskState([]),
      facts,
    )
    if (verdict.decision !== 'cold') throw new Error(verdict.reason)
    return composePlan(verdict, {
      agent,
      task: { name: 'main', project: io.home, folder: join(io.home, 'task') },
      mode: 'headless',
      program: { path: 'amp', version: '0.0.1790142911' },
      args: [],
      io,
      agentapi: undefined,
      dialogs: [],
      fresh: () => 'r1',
    })
  }

  test('the prompt arrived when Amp reported it and exited with 0', () => {
    expect(followed(scratchIo(), 0, true)).toEqual([{ type: 'prompt', run: 'r1', hash, state: 'seen' }])
    expect(followed(scratchIo(), 0, false)).toEqual([])
    expect(followed(scratchIo(), 1, true)).toEqual([])
  })

  test('for a thread in a file only the file counts', () => {
    const io = scratchIo()
    const folder = join(io.home, '.local/share/amp/threads')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${THREAD}.json`), JSON.stringify({ id: THREAD, v: 1, messages: [] }))
    expect(followed(io, 0, true)).toEqual([])
  })
})
