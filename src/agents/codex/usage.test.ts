import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'
import { fixtures } from './test/fixture-session.ts'

type Json = Record<string, unknown>

/** A version 7 id of that second of the day. */
const idAt = (second: number, n = 0): string => {
  const hex = (Date.parse('2026-03-04T09:00:00.000Z') + second * 1000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`
}
const at = (second: number): string => new Date(Date.parse('2026-03-04T09:00:00.000Z') + second * 1000).toISOString()

const PARENT = idAt(0)
const FORK = idAt(1000)
const SISTER = idAt(1001)

interface Line extends Json {
  readonly type: string
  readonly payload: Json
}

const meta = (id: string, more: Json = {}): Line => ({
  type: 'session_meta',
  payload: { id, timestamp: at(0), cwd: '/home/dev/shop', originator: 'codex', cli_version: '0.145.0', ...more },
})

/** Sums like Codex's: input includes what is cached. */
const sums = (calls: number): Json => ({
  input_tokens: 100 * calls,
  cached_input_tokens: 40 * calls,
  output_tokens: 10 * calls,
  reasoning_output_tokens: 3 * calls,
  total_tokens: 110 * calls,
})
const counted = (calls: number, last: Json = sums(1)): Line => ({
  type: 'event_msg',
  payload: {
    type: 'token_count',
    info: { total_token_usage: sums(calls), last_token_usage: last, model_context_window: 272000 },
    rate_limits: null,
  },
})
const record = (response: string, turn: string): Line => ({
  type: 'token_usage_record',
  payload: {
    thread_id: PARENT,
    turn_id: turn,
    response_id: response,
    usage: { ...sums(1), cache_write_input_tokens: 0 },
  },
})
const turn = (id: string | undefined): Line[] => [
  { type: 'event_msg', payload: { type: 'task_started', ...(id ? { turn_id: id } : {}) } },
  { type: 'turn_context', payload: { ...(id ? { turn_id: id } : {}), cwd: '/home/dev/shop', model: 'gpt-5.5' } },
]

/** Writes a rollout. Each line gets the next time, or that of a burst when a fork is written. */
function write(io: Io, id: string, lines: readonly Line[], start: number, burst = 0): void {
  const folder = join(io.home, '.codex', 'sessions', '2026', '03', '04')
  mkdirSync(folder, { recursive: true })
  const text = lines.map(({ type, payload, ...more }, index) => {
    const time = index < burst ? start + index / 1000 : start + (index + 1) * 5
    return `${JSON.stringify({ timestamp: at(time), ...more, type, payload })}\n`
  })
  writeFileSync(join(folder, `rollout-2026-03-04T10-00-00-${id}.jsonl`), text.join(''))
}

/** The total of so many calls of `sums(1)`. */
const calls = (n: number): object => ({
  input: 60 * n,
  output: 10 * n,
  cache_read: 40 * n,
  cache_write: 0,
  reasoning: 3 * n,
})

describe('token_count is cumulative and repeated without a call', () => {
  test('it counts only when the sum has changed', () => {
    const io = scratchIo()
    const one = counted(1)
    write(io, PARENT, [meta(PARENT), ...turn(idAt(1)), one, one, counted(2), counted(2), counted(3)], 0)
    const { total, uncounted } = storeUsage(agent, io)
    expect(total).toEqual(calls(3))
    const repeated = { session: PARENT, reason: 'repeated', usage: calls(1) }
    expect(uncounted).toEqual([repeated, repeated])
  })

  test('beside token_usage_record it is not counted, and both give a call the same id', () => {
    const io = scratchIo()
    const [first, second] = [idAt(1), idAt(60)]
    write(
      io,
      PARENT,
      [
        meta(PARENT),
        ...turn(first),
        record('resp_1', first),
        counted(1),
        record('resp_2', first),
        counted(2),
        ...turn(second),
        record('resp_3', second),
        counted(3),
      ],
      0,
    )
    const { total, sessions, uncounted } = storeUsage(agent, io)
    expect(total).toEqual(calls(3))
    expect(sessions).toEqual({ [PARENT]: [`codex/${first}/1`, `codex/${first}/2`, `codex/${second}/1`] })
    expect(uncounted.map(({ reason }) => reason)).toEqual(['repeated', 'repeated', 'repeated'])
  })

  test('a change of the sum without tokens of a call is not a call', () => {
    const io = scratchIo()
    const filled = { ...sums(0), total_tokens: 272000 }
    write(io, PARENT, [meta(PARENT), ...turn(idAt(1)), counted(1), counted(9, filled)], 0)
    expect(storeUsage(agent, io).total).toEqual(calls(1))
  })
})

test('OpenAI counts cached input as input: Ion does not', () => {
  const io = scratchIo()
  const last = { input_tokens: 1000, cached_input_tokens: 900, output_tokens: 5, total_tokens: 1005 }
  write(io, PARENT, [meta(PARENT), ...turn(idAt(1)), counted(1, last)], 0)
  const total = { input: 100, output: 5, cache_read: 900, cache_write: 0, reasoning: 0 }
  expect(storeUsage(agent, io).total).toEqual(total)
})

/** A parent with three calls in two turns. */
const history = (isNew: boolean): Line[] => [
  ...turn(isNew ? idAt(10) : undefined),
  counted(1),
  counted(2),
  ...turn(isNew ? idAt(20) : undefined),
  counted(3),
]

describe.each([
  ['with the ids of turns', true],
  ['of versions without ids of turns', false],
])('forks and sub-agents that replay their parent with new times, %s', (_name, isNew) => {
  const own = (second: number, last: number): Line[] => [...turn(isNew ? idAt(second) : undefined), counted(last)]
  const fork = (id: string, second: number): Line[] => [
    meta(id, { forked_from_id: PARENT }),
    meta(PARENT),
    ...history(isNew),
    // Codex repeats the last sum when it opens the fork.
    counted(3),
    ...own(second, 4),
  ]
  const BURST = history(isNew).length + 3

  function parentAndForks(): Io {
    const io = scratchIo()
    write(io, PARENT, [meta(PARENT), ...history(isNew)], 0)
    write(io, FORK, fork(FORK, 1010), 1000, BURST)
    // It does the same as the other fork: equal turns of two children are two calls.
    write(io, SISTER, fork(SISTER, 1011), 1001, BURST)
    return io
  }

  test('each call is counted once, and equal calls of two forks are two calls', () => {
    const { total, sessions } = storeUsage(agent, parentAndForks())
    expect(total).toEqual(calls(5))
    expect(sessions[FORK]!.slice(0, 3)).toEqual(sessions[PARENT])
    expect(sessions[SISTER]!.slice(0, 3)).toEqual(sessions[PARENT])
    expect(sessions[FORK]![3]).not.toBe(sessions[SISTER]![3])
  })

  test('a parent that was deleted is counted once, from its forks', () => {
    const io = parentAndForks()
    rmSync(listAll(agent, io).heads.find(({ native_id }) => native_id === PARENT)!.path)
    expect(storeUsage(agent, io).total).toEqual(calls(5))
  })

  test('a sub-agent that replays without the first line of its parent', () => {
    const io = scratchIo()
    const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: PARENT, depth: 1 } } } }
    write(io, PARENT, [meta(PARENT), ...history(isNew)], 0)
    const child = [meta(FORK, spawned), ...history(isNew), ...own(1010, 4), counted(5)]
    write(io, FORK, child, 1000, BURST - 2)
    expect(storeUsage(agent, io).total).toEqual(calls(5))
  })

  test('a sub-agent that replays nothing counts from its first call on', () => {
    const io = scratchIo()
    const spawned = { forked_from_id: PARENT, source: { subagent: { thread_spawn: { parent_thread_id: PARENT } } } }
    write(io, PARENT, [meta(PARENT), ...history(isNew)], 0)
    write(io, FORK, [meta(FORK, spawned), meta(PARENT), ...own(1010, 1), counted(2)], 1000, 2)
    expect(storeUsage(agent, io).total).toEqual(calls(5))
  })
})

describe('replays of newer versions', () => {
  test('with the original times, and without the records that the parent has', () => {
    const io = scratchIo()
    const [first, second] = [idAt(10), idAt(1010)]
    const parent = [...turn(first), record('resp_1', first), counted(1), record('resp_2', first), counted(2)]
    write(io, PARENT, [meta(PARENT), ...parent], 0)
    const replayed = parent.filter(({ type }) => type !== 'token_usage_record')
    const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: PARENT } } } }
    write(io, FORK, [meta(FORK, spawned), ...replayed, ...turn(second), record('resp_3', second), counted(3)], 0)
    expect(storeUsage(agent, io).total).toEqual(calls(3))
  })

  test('only the last turns, beginning with a message', () => {
    const io = scratchIo()
    const [first, second, third] = [idAt(10), idAt(20), idAt(1010)]
    const metadata = { internal_chat_message_metadata_passthrough: { turn_id: second } }
    const prompt: Line = {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }], ...metadata },
    }
    const last = [prompt, counted(2), counted(3)]
    write(io, PARENT, [meta(PARENT), ...turn(first), counted(1), ...turn(second), ...last], 0)
    const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: PARENT } } } }
    write(io, FORK, [meta(FORK, spawned), ...last, ...turn(third), counted(4)], 1000, 4)
    expect(storeUsage(agent, io).total).toEqual(calls(4))
  })

  test('a fork of a fork', () => {
    const io = scratchIo()
    const older = [meta(PARENT), ...history(true)]
    const middle = [meta(FORK, { forked_from_id: PARENT }), ...older, ...turn(idAt(1010)), counted(4)]
    const youngest = idAt(2000)
    write(io, PARENT, older, 0)
    write(io, FORK, middle, 1000, older.length + 1)
    write(
      io,
      youngest,
      [meta(youngest, { forked_from_id: FORK }), ...middle, ...turn(idAt(2010)), counted(5)],
      2000,
      middle.length + 1,
    )
    expect(storeUsage(agent, io).total).toEqual(calls(5))
  })
})

test('a fork by reference has the calls of its parent, which are the same calls', () => {
  const io = scratchIo(join(fixtures, '0.166.0'))
  const { total, sessions } = storeUsage(agent, io)
  const [parent, fork] = ['01a1e085-aeae-7b20-bd68-1895ac30e981', '01a1e087-4e16-77e1-82c7-1065bde2074d']
  expect(sessions[parent]).toHaveLength(6)
  expect(sessions[fork]).toEqual([...sessions[parent]!, expect.any(String), expect.any(String)])
  // By hand: the sum of all token_usage_record lines below sessions/ and archived_sessions/.
  expect(total).toEqual(HAND_COUNTED)
})

const HAND_COUNTED = { input: 298_298, output: 1974, cache_read: 4700, cache_write: 0, reasoning: 32 }

test('the service tier of the settings is the tier of the calls that follow', () => {
  const io = scratchIo()
  const settings = (service_tier: string | null): Line => ({
    type: 'event_msg',
    payload: { type: 'thread_settings_applied', thread_settings: { model: 'gpt-5.5', service_tier } },
  })
  const lines = [
    settings('priority'),
    counted(1),
    settings(null),
    counted(2),
    settings('fast'),
    counted(3),
    settings('flex'),
  ]
  write(io, PARENT, [meta(PARENT), ...turn(idAt(1)), ...lines, counted(4)], 0)
  storeUsage(agent, io)
  const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
  expect(events.flatMap(({ call }) => (call ? [call.tier] : []))).toEqual(['priority', undefined, 'priority', 'flex'])
})
