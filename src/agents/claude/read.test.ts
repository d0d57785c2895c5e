import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll, type Read, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { LineCursor } from '../../native/line-cursor.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { type Passage, passageOf } from '../passage.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'

const ID = '0b1f5f0e-0000-4000-8000-000000000001'
const time = '2026-01-01T00:00:00.000Z'

function write(content: string | Buffer): { io: Io; path: string } {
  const io = scratchIo()
  const folder = join(io.home, '.claude/projects/-p')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${ID}.jsonl`)
  writeFileSync(path, content)
  return { io, path }
}

function readLines(...records: object[]): Read {
  const { io } = write(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return readAll(agent, listAll(agent, io).heads[0]!, io)
}

const record = (n: number, parent: number | null, rest: object): object => ({
  uuid: `u${n}`,
  parentUuid: parent === null ? null : `u${parent}`,
  timestamp: time,
  ...rest,
})
const user = (content: unknown, rest: object = {}): object => ({
  type: 'user',
  message: { role: 'user', content },
  ...rest,
})
const answer = (content: unknown, rest: object = {}): object => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    id: 'm1',
    model: 'opus',
    content,
    usage: { input_tokens: 5, output_tokens: 2 },
    ...rest,
  },
})
const event = (seq: number, id: string, parent_id: string | null, rest: object): object => ({
  seq,
  id,
  parent_id,
  timestamp: time,
  ...rest,
})
const token_usage = { input: 5, output: 2, cache_read: 0, cache_write: 0, reasoning: 0 }
const call = { id: 'm1' }

describe('blocks', () => {
  test('an answer in one record, with every kind of block', () => {
    const { events, problems } = readLines(
      record(
        1,
        null,
        user([
          { type: 'text', text: 'look' },
          { type: 'image', source: { media_type: 'image/png', data: 'AA==' } },
        ]),
      ),
      record(
        2,
        1,
        answer([
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'I see' },
          { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } },
          { type: 'from_the_future', x: 1 },
        ]),
      ),
      record(
        3,
        2,
        user([
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [{ type: 'text', text: 'no' }, { type: 'odd' }],
          },
          { type: 'text', text: '<system-reminder>be brief</system-reminder>' },
          { type: 'text', text: 'and now?' },
          { type: 'new_block' },
        ]),
      ),
    )
    expect(problems).toEqual([])
    expect(events.slice(1)).toEqual([
      event(1, 'u1', null, {
        type: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', media_type: 'image/png', data: 'AA==' },
        ],
      }),
      event(2, 'u2', 'u1', { type: 'thinking', content: 'hm', model: 'opus', token_usage, call }),
      event(3, 'u2.1', 'u2', { type: 'system', subtype: 'redacted_thinking', content: null }),
      event(4, 'u2.2', 'u2.1', { type: 'assistant', content: [{ type: 'text', text: 'I see' }] }),
      event(5, 't1', 'u2.2', { type: 'tool_use', name: 'Read', input: { path: 'a' } }),
      event(6, 'u2.4', 't1', { type: 'native', record: { type: 'from_the_future', x: 1 } }),
      event(7, 'u3', 'u2.4', {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [
          { type: 'text', text: 'no' },
          { type: 'text', text: '{"type":"odd"}' },
        ],
        is_error: true,
      }),
      event(8, 'u3.1', 'u3', {
        type: 'system',
        subtype: 'reminder',
        content: '<system-reminder>be brief</system-reminder>',
      }),
      event(9, 'u3.2', 'u3.1', { type: 'user', content: [{ type: 'text', text: 'and now?' }] }),
      event(10, 'u3.3', 'u3.2', { type: 'native', record: { type: 'new_block' } }),
    ])
  })

  test('usage repeated in each block of a message is counted once, even with another message in between', () => {
    const { items } = readLines(
      record(1, null, answer([{ type: 'text', text: 'a' }])),
      record(2, 1, answer([{ type: 'tool_use', id: 't1', name: 'X', input: {} }])),
      record(3, 2, answer([{ type: 'text', text: 'b' }], { id: 'm2' })),
      record(4, 3, answer([{ type: 'tool_use', id: 't2', name: 'X', input: {} }])),
    )
    expect(summarise(items).tokens).toEqual({ ...token_usage, input: 10, output: 4 })
  })
})

test('children of a record without events follow its parent; an unknown record stays in the tree', () => {
  const { events } = readLines(
    record(1, null, user('first')),
    record(2, 1, answer([], { usage: undefined })),
    record(3, 2, { type: 'from-the-future' }),
    record(4, 3, user('second')),
    record(5, 1, { type: 'from-the-future' }),
  )
  expect(events.slice(1).map(({ id, parent_id }) => [id, parent_id])).toEqual([
    ['u1', null],
    ['u3', 'u1'],
    ['u4', 'u3'],
    ['u5', 'u1'],
  ])
})

test('text that the program wrote in place of an answer is not an answer', () => {
  const synthetic = { model: '<synthetic>' }
  const { events, items } = readLines(
    record(1, null, answer([{ type: 'text', text: 'hello' }])),
    record(2, 1, answer([{ type: 'text', text: 'No response requested.' }], synthetic)),
    record(3, 2, { ...answer([{ type: 'text', text: 'API Error: 500' }], synthetic), isApiErrorMessage: true }),
    record(4, 3, user('[Request interrupted by user]')),
    record(5, 4, user('typed by nobody', { isMeta: true })),
  )
  expect(events.slice(2)).toEqual([
    event(2, 'u2', 'u1', { type: 'system', subtype: 'synthetic', content: 'No response requested.' }),
    event(3, 'u3', 'u2', { type: 'system', subtype: 'api_error', content: 'API Error: 500' }),
    event(4, 'u4', 'u3', { type: 'system', subtype: 'interrupted', content: '[Request interrupted by user]' }),
    event(5, 'u5', 'u4', { type: 'system', subtype: 'meta', content: 'typed by nobody' }),
  ])
  expect(summarise(items)).toMatchObject({ model: 'opus', messages: 1, tokens: token_usage, first_prompt: null })
})

test('preserved tool calls have the ids of their events', () => {
  const { events } = readLines(
    record(1, null, answer([{ type: 'tool_use', id: 't1', name: 'X', input: {} }])),
    {
      ...record(2, null, { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }),
      logicalParentUuid: 'u1',
      compactMetadata: { trigger: 'auto', preservedMessages: { uuids: ['u1', 7] } },
    },
    record(3, 2, user('what was said', { isCompactSummary: true })),
  )
  expect(events.slice(2)).toEqual([
    event(2, 'u2', 't1', {
      type: 'system',
      subtype: 'compact_boundary',
      content: { trigger: 'auto', preservedMessages: { uuids: ['u1', 7] } },
    }),
    event(3, 'u3', 'u2', { type: 'compaction', summary: 'what was said', replaces: [], preserved: ['t1'] }),
  ])
})

describe('bad input', () => {
  test('a malformed record is reported and kept, and does not affect others', () => {
    const odd = [
      record(1, null, { type: 'user', message: 'text' }),
      record(2, 1, { type: 'assistant', message: { content: 7 } }),
      record(3, 2, user([null])),
      { type: 7, uuid: 8, parentUuid: 9, timestamp: {}, cwd: 5, version: [], customTitle: 6, forkedFrom: null },
    ]
    const { events, problems } = readLines(...odd, record(4, 3, user('fine')))
    expect(problems.map((one) => one.problem)).toEqual([
      'record u1 is not as expected: message is not an object',
      'record u2 is not as expected: message.content is not an array',
      'record u3 is not as expected: content block is not an object',
    ])
    expect(events.slice(1).map((one) => ('record' in one ? one.record : one.id))).toEqual([...odd, 'u4'])
  })

  test('an empty file, a file of random bytes, and a folder in its place', () => {
    const empty = write('')
    expect(listAll(agent, empty.io)).toMatchObject({ heads: [{ native_id: ID, title: null }], problems: [] })
    const noise = write(Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0x0a]))
    const head = listAll(agent, noise.io).heads[0]!
    const { events, problems } = readAll(agent, head, noise.io)
    expect([events.length, problems.map((one) => one.line)]).toEqual([1, [1, 1, 2]])
    const folder = write('')
    mkdirSync(`${folder.path}.jsonl`)
    expect(listAll(agent, folder.io).problems).toEqual([
      { code: 'not_regular_file', problem: 'a folder where a file should be', path: `${folder.path}.jsonl` },
    ])
  })
})

describe('the scanner agrees with the reader', () => {
  const fixture = new URL(
    './fixtures/2.1.325/.claude/projects/-home-dev1-projects-shop/11111111-1111-4111-8111-111111111111.jsonl',
    import.meta.url,
  )

  function expectAgreement(content: Buffer): void {
    const { io, path } = write(content)
    const head = listAll(agent, io).heads[0]!
    const { items, events } = readAll(agent, head, io)
    const scanner = agent.scanner!
    const state = scanner.start()
    const passages: Passage[] = []
    const cursor = new LineCursor(path, readContext(io))
    while (cursor.next()) {
      scanner.count(state, cursor)
      passages.push(...scanner.passages(cursor))
    }
    cursor.close()
    expect(scanner.summary(state)).toEqual(summarise(items))
    expect(passages).toEqual(events.slice(1).flatMap((one) => passageOf(one) ?? []))
  }

  test('for a file truncated at any byte, even if a killed agent continued after the cut', () => {
    const bytes = readFileSync(fixture)
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length), (first, second) => {
        const [cut, from] = [Math.min(first, second), Math.max(first, second)]
        expectAgreement(bytes.subarray(0, cut))
        const next = bytes.indexOf('\n{"parentUuid":', from)
        if (next >= 0) expectAgreement(Buffer.concat([bytes.subarray(0, cut), bytes.subarray(next + 1)]))
      }),
      { numRuns: 40 },
    )
  })

  test('with a byte order mark, bad UTF-8, deep JSON, blank lines and Windows line ends', () => {
    const text = readFileSync(fixture, 'utf8')
    expectAgreement(Buffer.from(`\ufeff${text}`))
    expectAgreement(Buffer.from(text.replaceAll('\n', '\r\n')))
    expectAgreement(Buffer.from(text.replaceAll('\n', '\n\n  \n')))
    expectAgreement(
      Buffer.concat([
        Buffer.from(text),
        Buffer.from('{"type":"user","timestamp":"2026-01-01T00:00:00Z","message":{"content":"\xff"}}\n', 'latin1'),
      ]),
    )
    expectAgreement(Buffer.from(`${text}{"type":"user","a":${'['.repeat(9000)}${']'.repeat(9000)}}\n`))
  })
})
