import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

type Json = Record<string, unknown>

const FIRST = '51000000-0000-4000-8000-00000000000a'
const FORK = '51000000-0000-4000-8000-00000000000b'

const id = (n: number): string => `61000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const event = (n: number, type: string, data: Json, more: Json = {}): Json => ({
  type,
  data,
  id: id(n),
  timestamp: `2026-03-04T09:00:${String(n % 60).padStart(2, '0')}.000Z`,
  parentId: n === 0 ? null : id(n - 1),
  ...more,
})

const USAGE = { model: 'gpt-4.1', inputTokens: 100, outputTokens: 7, cacheReadTokens: 22, cacheWriteTokens: 3 }
const call = (n: number, sourceSessionId: string, sequence: number, more: Json = {}): Json =>
  event(n, 'session.usage_record', { usage: { ...USAGE, accounting: { sourceSessionId, sequence } } }, more)

/** The sums of a process, as `session.shutdown` and `session.usage_checkpoint` have them. */
const sums = (n: number, type: string, calls: number): Json => {
  const usage = { inputTokens: 100 * calls, outputTokens: 7 * calls, cacheReadTokens: 22 * calls, cacheWriteTokens: 0 }
  return event(n, type, { modelMetrics: { 'gpt-4.1': { requests: { count: calls, cost: 0 }, usage } } })
}

function write(io: Io, session: string, events: readonly Json[]): void {
  const folder = join(io.home, '.copilot', 'session-state', session)
  mkdirSync(folder, { recursive: true })
  const start = event(0, 'session.start', { sessionId: session, version: 1, copilotVersion: '1.0.102' })
  const lines = [start, ...events].map((record) => `${JSON.stringify(record)}\n`)
  writeFileSync(join(folder, 'events.jsonl'), lines.join(''))
  writeFileSync(join(folder, 'workspace.yaml'), `id: ${session}\ncwd: /home/dev/shop\n`)
}

/** The total of so many calls. */
const calls = (n: number): object => ({
  input: 75 * n,
  output: 7 * n,
  cache_read: 22 * n,
  cache_write: 3 * n,
  reasoning: 0,
})

test('calls count one by one, never the sums at each shutdown, which go over resumed processes', () => {
  const io = scratchIo()
  write(io, FIRST, [
    call(1, FIRST, 1),
    call(2, FIRST, 2),
    sums(3, 'session.shutdown', 2),
    event(4, 'session.resume', {}),
    call(5, FIRST, 3),
    sums(6, 'session.shutdown', 3),
  ])
  const { total, sessions, uncounted } = storeUsage(agent, io)
  expect(total).toEqual(calls(3))
  expect(sessions[FIRST]).toEqual([1, 2, 3].map((n) => `copilot/${FIRST}/${n}`))
  expect(uncounted).toEqual([
    { session: FIRST, reason: 'sum', usage: { input: 156, output: 14, cache_read: 44, cache_write: 0, reasoning: 0 } },
    { session: FIRST, reason: 'sum', usage: { input: 234, output: 21, cache_read: 66, cache_write: 0, reasoning: 0 } },
  ])
})

test('a fork that copies the records of its parent adds only its own calls', () => {
  const io = scratchIo()
  const copied = [call(1, FIRST, 1), call(2, FIRST, 2)]
  write(io, FIRST, [...copied, call(3, FIRST, 3)])
  write(io, FORK, [...copied, call(13, FORK, 1)])
  expect(storeUsage(agent, io).total).toEqual(calls(4))
})

test('records without accounting are the same by their id', () => {
  const io = scratchIo()
  const bare = (n: number): Json => event(n, 'session.usage_record', { usage: USAGE })
  write(io, FIRST, [bare(1), bare(2)])
  write(io, FORK, [bare(1), bare(3)])
  expect(storeUsage(agent, io).total).toEqual(calls(3))
})

test('a sub-agent is in the file of its parent and counts once', () => {
  const io = scratchIo()
  write(io, FIRST, [
    call(1, FIRST, 1),
    call(2, 'f6f87a58-4006-4000-8000-000000000001', 1, { agentId: 'agent-1' }),
    call(3, FIRST, 2),
  ])
  expect(storeUsage(agent, io).total).toEqual(calls(3))
})

test('the calls that wrote a summary count, also when there were several', () => {
  const io = scratchIo()
  const compacted = (n: number, requestCount: number): Json =>
    event(n, 'session.compaction_complete', {
      success: true,
      compactionAttemptId: id(100 + n),
      summaryContent: 'So far',
      compactionTokensUsed: { ...USAGE, requestCount },
    })
  write(io, FIRST, [call(1, FIRST, 1), compacted(2, 1), sums(3, 'session.usage_checkpoint', 1), compacted(4, 2)])
  write(io, FORK, [call(1, FIRST, 1), compacted(2, 1)])
  const { total, sessions, uncounted } = storeUsage(agent, io)
  expect(total).toEqual(calls(3))
  expect(sessions[FORK]).toEqual(sessions[FIRST]!.slice(0, 2))
  expect(uncounted.map(({ reason }) => reason)).toEqual(['sum'])
})
