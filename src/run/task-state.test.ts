import { expect, test } from 'vitest'
import type { LedgerEntry } from './ledger.ts'
import { pendingRun, taskState, timesSeen } from './task-state.ts'

const at = '2026-11-16T00:00:00.000Z'
const planned = (run: string, decision: 'cold' | 'warm', hash?: string): LedgerEntry => ({
  type: 'planned',
  at,
  run,
  decision,
  reason: '',
  way: 'headless',
  cwd: '/home/dev/shop',
  args: ['--model', run],
  session: `s-${run}`,
  ...(hash ? { prompt: { hash, length: 1 } } : {}),
})
const launching = (run: string): LedgerEntry => ({ type: 'launching', at, run, program: 'agent' })
const session = (run: string, id: string): LedgerEntry => ({
  type: 'session',
  at,
  run,
  native_id: id,
  files: ['/store'],
  cwd: '/home/dev/shop',
  how: 'chosen',
})
const seen = (run: string, hash: string): LedgerEntry => ({ type: 'prompt', at, run, hash, state: 'seen' })

test('an empty ledger is a task without a session', () => {
  expect(taskState([])).toEqual({ session: undefined, past: [], attempts: [], runs: [], args: [], lastAt: undefined })
})

test('the session of a cold start; its prompt is pending until it is seen', () => {
  const entries = [planned('1', 'cold', 'h'), launching('1'), session('1', 'n1')]
  const state = taskState(entries)
  expect(state.session).toEqual({ native_id: 'n1', files: ['/store'], cwd: '/home/dev/shop' })
  expect([state.attempts, pendingRun(state)?.run, state.args]).toEqual([[], '1', ['--model', '1']])
  expect(pendingRun(taskState([...entries, seen('1', 'h')]))).toBeUndefined()
})

test('cold starts that died are attempts, but not those that were never launched', () => {
  const entries = [
    planned('1', 'cold', 'h'),
    launching('1'),
    planned('2', 'cold', 'h'),
    planned('3', 'cold', 'h'),
    launching('3'),
  ]
  expect(taskState(entries).attempts.map(({ run }) => run)).toEqual(['1', '3'])
})

test('a new session that died is finished as a cold start, whatever was pinned before', () => {
  const before = [planned('1', 'cold', 'h'), launching('1'), session('1', 'n1'), seen('1', 'h')]
  const state = taskState([...before, planned('2', 'cold', 'h2'), launching('2')])
  expect([state.session, state.attempts.map(({ run }) => run), pendingRun(state)?.run]).toEqual([undefined, ['2'], '2'])
  expect(state.past).toEqual(['n1'])
})

test('a session may be pinned without a run: it was adopted', () => {
  expect(taskState([session('adopted', 'n9')]).session?.native_id).toBe('n9')
})

test('counts how often a text was seen in this session', () => {
  const entries = [
    planned('0', 'cold', 'h'),
    launching('0'),
    session('0', 'old'),
    seen('0', 'h'),
    planned('1', 'cold', 'h'),
    launching('1'),
    session('1', 'n1'),
    seen('1', 'h'),
    planned('2', 'warm', 'h'),
    launching('2'),
    seen('2', 'h'),
    planned('3', 'warm', 'h'),
    launching('3'),
  ]
  expect([timesSeen(taskState(entries), 'h'), timesSeen(taskState(entries), 'other')]).toEqual([2, 0])
})
