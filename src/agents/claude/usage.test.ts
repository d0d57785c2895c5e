import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

type Json = Record<string, unknown>

const FIRST = '5e551094-0000-4000-8000-000000000001'
const SECOND = '5e551094-0000-4000-8000-000000000002'
const PROJECT = '-home-dev-shop'

/** A home with these files below the project's folder. */
function home(files: Readonly<Record<string, readonly Json[]>>): Io {
  const io = scratchIo()
  for (const [name, records] of Object.entries(files)) {
    const path = join(io.home, '.claude', 'projects', PROJECT, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
  return io
}

const uuid = (n: number): string => `0000000a-0000-4000-8000-${String(n).padStart(12, '0')}`
const time = (n: number): string => `2026-03-04T09:00:${String(n).padStart(2, '0')}.000Z`

function prompt(n: number, sessionId: string, parent: number | null = null): Json {
  const parentUuid = parent === null ? null : uuid(parent)
  const message = { role: 'user', content: 'Go' }
  return { parentUuid, type: 'user', message, uuid: uuid(n), timestamp: time(n), cwd: '/home/dev/shop', sessionId }
}

interface Answer {
  readonly n: number
  readonly message: string
  readonly request?: string | null
  readonly session?: string
  readonly usage?: Json
  readonly block?: Json
  readonly model?: string
  readonly more?: Json
}

const USAGE: Json = {
  input_tokens: 100,
  cache_creation_input_tokens: 11,
  cache_read_input_tokens: 22,
  output_tokens: 7,
}

/** One record of an answer in Claude Code's order of keys: it has one block. */
function answer({ n, message, request = `req_${message}`, session = FIRST, usage = USAGE, ...rest }: Answer): Json {
  const { block = { type: 'text', text: 'Done' }, model = 'claude-opus-5-5', more = {} } = rest
  return {
    parentUuid: n === 0 ? null : uuid(n - 1),
    isSidechain: false,
    message: {
      id: message,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    },
    ...(request === null ? {} : { requestId: request }),
    type: 'assistant',
    uuid: uuid(n),
    timestamp: time(n),
    cwd: '/home/dev/shop',
    sessionId: session,
    ...more,
  }
}

const thinking = { type: 'thinking', thinking: 'Hm', signature: '' }
const tool = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
const tokens = (input: number, output: number, cache_read: number, cache_write: number): object => ({
  input,
  output,
  cache_read,
  cache_write,
  reasoning: 0,
})

describe('one record for each block of an answer', () => {
  test('each repeats the usage: it is counted once, and the others are reported as repeated', () => {
    const io = home({
      [`${FIRST}.jsonl`]: [
        prompt(0, FIRST),
        answer({ n: 1, message: 'msg_1', block: thinking }),
        answer({ n: 2, message: 'msg_1' }),
        answer({ n: 3, message: 'msg_1', block: tool }),
        answer({ n: 4, message: 'msg_2', block: { ...tool, id: 'toolu_2' } }),
      ],
    })
    const { total, sessions, uncounted } = storeUsage(agent, io)
    expect(total).toEqual(tokens(200, 14, 44, 22))
    expect(sessions).toEqual({ [FIRST]: ['claude/msg_1/req_msg_1', 'claude/msg_2/req_msg_2'] })
    const repeated = { session: FIRST, reason: 'repeated', usage: tokens(100, 7, 22, 11) }
    expect(uncounted).toEqual([repeated, repeated])
  })

  test('where the output grows from block to block, the largest counts: later events have the difference', () => {
    const growing = [2, 40, 40, 57].map((output_tokens, index) =>
      answer({
        n: index + 1,
        message: 'msg_1',
        usage: { ...USAGE, output_tokens },
        block: index === 3 ? tool : { type: 'text', text: `Part ${index}` },
      }),
    )
    const io = home({ [`${FIRST}.jsonl`]: [prompt(0, FIRST), ...growing] })
    const { total, uncounted } = storeUsage(agent, io)
    expect(total).toEqual(tokens(100, 57, 22, 11))
    const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
    const call = { id: 'msg_1/req_msg_1' }
    expect(events.flatMap(({ id, token_usage, call }) => (token_usage ? [{ id, token_usage, call }] : []))).toEqual([
      { id: uuid(1), token_usage: tokens(100, 2, 22, 11), call },
      { id: uuid(2), token_usage: tokens(0, 38, 0, 0), call },
      { id: 'toolu_1', token_usage: tokens(0, 17, 0, 0), call },
    ])
    expect(uncounted).toEqual([{ session: FIRST, reason: 'repeated', usage: tokens(100, 40, 22, 11) }])
  })

  test('a message that is repeated a hundred messages later is still the same call', () => {
    const many = Array.from({ length: 100 }, (_, index) => answer({ n: index % 60, message: `msg_${index}` }))
    const again = answer({ n: 0, message: 'msg_0' })
    const io = home({ [`${FIRST}.jsonl`]: [...many, again] })
    expect(storeUsage(agent, io).total).toEqual(tokens(10_000, 700, 2200, 1100))
  })

  test('an answer without blocks counts too', () => {
    const record = answer({ n: 1, message: 'msg_1' })
    const empty = { ...record, message: { ...(record.message as Json), content: [] } }
    const io = home({ [`${FIRST}.jsonl`]: [prompt(0, FIRST), empty] })
    expect(storeUsage(agent, io).total).toEqual(tokens(100, 7, 22, 11))
  })
})

describe('forks and resumed sessions', () => {
  const copied = [0, 1, 2].map((n) => (session: string): Json => {
    if (n === 0) return prompt(0, session)
    return answer({ n, message: `msg_${n}`, session })
  })

  test('a fork that copies records into its own file adds only its own calls', () => {
    const io = home({
      [`${FIRST}.jsonl`]: [...copied.map((record) => record(FIRST)), answer({ n: 3, message: 'msg_3' })],
      [`${SECOND}.jsonl`]: [
        ...copied.map((record) => record(SECOND)),
        answer({ n: 4, message: 'msg_4', session: SECOND }),
      ],
    })
    const { total, sessions } = storeUsage(agent, io)
    expect(total).toEqual(tokens(400, 28, 88, 44))
    const id = (n: number): string => `claude/msg_${n}/req_msg_${n}`
    expect(sessions).toEqual({ [FIRST]: [id(1), id(2), id(3)], [SECOND]: [id(1), id(2), id(4)] })
  })

  test('records without message and request ids are the same by their uuid, and others stay different', () => {
    const old = (n: number, session: string): Json => {
      const record = answer({ n, message: '', request: null, session })
      return { ...record, message: { ...(record.message as Json), id: undefined } }
    }
    const io = home({
      [`${FIRST}.jsonl`]: [prompt(0, FIRST), old(1, FIRST), old(2, FIRST)],
      [`${SECOND}.jsonl`]: [prompt(0, SECOND), old(1, SECOND), old(3, SECOND)],
    })
    expect(storeUsage(agent, io).total).toEqual(tokens(300, 21, 66, 33))
  })

  test('the same message id with another request id is another call', () => {
    const io = home({
      [`${FIRST}.jsonl`]: [
        answer({ n: 0, message: 'msg_1', request: 'req_1' }),
        answer({ n: 1, message: 'msg_1', request: 'req_2' }),
      ],
    })
    expect(storeUsage(agent, io).total).toEqual(tokens(200, 14, 44, 22))
  })
})

describe('sub-agents', () => {
  const child = `${FIRST}/subagents/agent-1.jsonl`

  test('a sub-agent in its own file counts once: not with the parent, whose result has its sums', () => {
    const summed = { input_tokens: 300, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 }
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }
    const io = home({
      [`${FIRST}.jsonl`]: [
        prompt(0, FIRST),
        answer({ n: 1, message: 'msg_1', block: tool }),
        {
          ...prompt(2, FIRST, 1),
          message: { role: 'user', content: [result] },
          toolUseResult: { status: 'completed', totalTokens: 309, usage: summed },
        },
      ],
      [child]: [prompt(10, FIRST), answer({ n: 11, message: 'msg_2', more: { isSidechain: true, agentId: '1' } })],
    })
    const { total, uncounted, sessions } = storeUsage(agent, io)
    expect(total).toEqual(tokens(200, 14, 44, 22))
    expect(Object.values(sessions)).toEqual([['claude/msg_1/req_msg_1'], ['claude/msg_2/req_msg_2']])
    expect(uncounted).toEqual([{ session: FIRST, reason: 'sum', usage: tokens(300, 9, 0, 0) }])
  })

  test('a sidechain in the file of its parent, and again in its own, counts once', () => {
    const side = answer({ n: 11, message: 'msg_2', more: { isSidechain: true } })
    const io = home({
      [`${FIRST}.jsonl`]: [prompt(0, FIRST), answer({ n: 1, message: 'msg_1' }), side],
      [child]: [side],
    })
    expect(storeUsage(agent, io).total).toEqual(tokens(200, 14, 44, 22))
  })
})

describe('what a record says beside its tokens', () => {
  const cached = { ...USAGE, cache_creation_input_tokens: 30, output_tokens_details: { thinking_tokens: 3 } }

  test('cache writes that are kept for an hour, and the priority tier', () => {
    const usage = {
      ...cached,
      service_tier: 'priority',
      cache_creation: { ephemeral_1h_input_tokens: 20, ephemeral_5m_input_tokens: 10 },
    }
    const io = home({ [`${FIRST}.jsonl`]: [answer({ n: 0, message: 'msg_1', usage })] })
    expect(storeUsage(agent, io).total).toEqual({ ...tokens(100, 7, 22, 30), cache_write_1h: 20, reasoning: 3 })
    const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
    expect(events[1]!.call).toEqual({ id: 'msg_1/req_msg_1', tier: 'priority' })
  })

  test('the cost that old versions stored, in micro-dollars', () => {
    const io = home({ [`${FIRST}.jsonl`]: [answer({ n: 0, message: 'msg_1', more: { costUSD: 0.01234567 } })] })
    storeUsage(agent, io)
    const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
    expect(events[1]!.call).toEqual({ id: 'msg_1/req_msg_1', cost: 12_346 })
  })

  test('what the program wrote itself is not a call, and its sums are not added', () => {
    const modelUsage = { 'claude-opus-5-5': { inputTokens: 100, outputTokens: 7, cacheReadInputTokens: 22 } }
    const io = home({
      [`${FIRST}.jsonl`]: [
        answer({ n: 0, message: 'msg_1' }),
        answer({ n: 1, message: 'msg_2', model: '<synthetic>' }),
        answer({ n: 2, message: 'msg_3', usage: { ...USAGE, input_tokens: 0 }, more: { isApiErrorMessage: true } }),
        { type: 'cost-state', sessionId: FIRST, totalCostUSD: 0.1, modelUsage },
      ],
    })
    const { total, uncounted } = storeUsage(agent, io)
    expect(total).toEqual(tokens(100, 7, 22, 11))
    expect(uncounted).toEqual([
      { session: FIRST, reason: 'not_a_call', usage: tokens(100, 7, 22, 11) },
      { session: FIRST, reason: 'not_a_call', usage: tokens(0, 7, 22, 11) },
      { session: FIRST, reason: 'sum', usage: tokens(100, 7, 22, 0) },
    ])
  })
})
