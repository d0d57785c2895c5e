import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

const current = '0.0.1790142911'
const legacy = '0.0.1768018268'
const onServer = 'T-ef532eef-fea5-44a0-9a53-c76532174583'
const exported = 'T-5928a90d-d53b-488f-a829-4e36442142ee'
const blocks = 'T-0a000000-0000-4000-8000-000000000001'
const killed = 'T-01a1e098-4b92-74f5-bbce-c8ba96f613b2'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    [legacy]: [
      'T-01a1e097-8970-7135-8ef0-e238aac5673f',
      'T-01a1e097-dff9-7338-bec2-eeff652cb415',
      'T-01a1e098-40a4-70a9-9dca-b07e97bdb740',
      killed,
      'T-51e7e71c-0000-4000-8000-00000000000a',
    ],
    [current]: [onServer],
    'handmade-blocks': [blocks],
  },
  meaning: {
    [blocks]: {
      typed: ['Fix the tax', 'and show me', 'Go on'],
      tokens: { input: 7, output: 9, cache_read: 300, cache_write: 20 },
      failed: ['t1', 't4'],
    },
  },
  lacks: { branches: 'a thread is a list' },
  overrides: [{ env: (_io, root) => ({ XDG_DATA_HOME: root }), move: ['.local/share/amp', 'amp'] }],
})

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((found) => found.native_id === native)!
}

/** The events without their common fields. */
function contentOf(events: readonly IonEvent[]): unknown[] {
  return events.slice(1).map(({ seq: _seq, parent_id: _parent, ...event }) => event)
}

describe('amp: threads in files', () => {
  test('a thread that was killed and continued, complete', () => {
    const io = fixture(legacy)
    const { events, problems } = readAll(agent, headOf(io, killed), io)
    expect(problems).toEqual([])
    expect(events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: `${killed}:start`,
        parent_id: null,
        timestamp: '2026-11-15T19:03:59.656Z',
        session_id: sessionId('amp', killed),
        agent: 'amp',
        native_id: killed,
        cwd: '/home/dev3/projects/shop',
        project: '/home/dev3/projects/shop',
        title: 'Stub title',
        model: 'claude-opus-4-5-20251101',
        source: { agent_version: '0.0.1768018268-gcd18ba', format: 'thread-json' },
      },
      {
        type: 'user',
        seq: 1,
        id: 'm0',
        parent_id: `${killed}:start`,
        timestamp: '2026-11-15T19:03:59.671Z',
        content: 'Kill me [[SLOW]]',
      },
      {
        type: 'system',
        subtype: 'usage',
        seq: 2,
        id: 'd10c3c56-2107-445f-a439-e95376cecdf1',
        parent_id: 'm0',
        timestamp: '2026-11-15T19:03:59.736Z',
        content: { operation: 'title-generation', model: 'claude-haiku-4-5-20251001' },
        token_usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { id: 'd10c3c56-2107-445f-a439-e95376cecdf1' },
        model: 'claude-haiku-4-5-20251001',
      },
      {
        type: 'user',
        seq: 3,
        id: 'm2',
        parent_id: 'd10c3c56-2107-445f-a439-e95376cecdf1',
        timestamp: '2026-11-15T19:04:36.935Z',
        content: 'After kill',
      },
      {
        type: 'assistant',
        seq: 4,
        id: 'm3',
        parent_id: 'm2',
        // From the ledger: the message has no time.
        timestamp: '2026-11-15T19:04:37.140Z',
        model: 'claude-opus-4-5-20251101',
        token_usage: { input: 11, output: 9, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { id: '2026-11-15T19:04:37.140Z/claude-opus-4-5-20251101/11-9-0-0' },
        content: [
          { type: 'text', text: 'ECHO: # User State\nCurrently visible files user has open: none\n\n\nAfter kill' },
        ],
      },
    ])
  })

  test('every kind of block, failed tools, an interruption and an error', () => {
    const io = fixture('handmade-blocks')
    const { events, problems } = readAll(agent, headOf(io, blocks), io)
    expect(problems).toEqual([])
    const sent = { timestamp: '2026-11-15T18:40:01.000Z' }
    const answered = { timestamp: '2026-11-15T18:40:02.000Z' }
    const guessed = { ...answered, timestamp_guessed: true }
    expect(contentOf(events)).toEqual([
      {
        type: 'system',
        subtype: 'user_state',
        id: 'm0',
        ...sent,
        content: { currentlyVisibleFiles: ['file:///home/dev3/projects/shop/src/tax.js'] },
      },
      { type: 'user', id: 'm0.1', ...sent, content: 'Fix the tax' },
      {
        type: 'native',
        id: 'm0.2',
        ...sent,
        record: { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw==' } },
      },
      { type: 'user', id: 'm0.3', ...sent, content: 'and show me' },
      {
        type: 'thinking',
        id: 'm1',
        ...answered,
        content: 'Three tools.',
        model: 'claude-opus-4-5-20251101',
        token_usage: { input: 7, output: 9, cache_read: 300, cache_write: 20, reasoning: 0 },
        call: { id: '2026-11-15T18:40:02.000Z/claude-opus-4-5-20251101/7-9-300-20' },
      },
      { type: 'system', subtype: 'redacted_thinking', id: 'm1.1', ...answered, content: null },
      { type: 'tool_use', id: 't1', ...answered, name: 'Bash', input: { cmd: 'false' } },
      { type: 'tool_use', id: 't2', ...answered, name: 'edit_file', input: { path: 'a' } },
      { type: 'tool_use', id: 't3', ...answered, name: 'Grep', input: { pattern: 'x' } },
      { type: 'tool_use', id: 't4', ...answered, name: 'Read', input: { path: 'gone' } },
      { type: 'tool_result', id: 'm2', ...guessed, tool_use_id: 't1', content: '', is_error: true },
      { type: 'tool_result', id: 'm2.1', ...guessed, tool_use_id: 't2', content: '-a\n+b', is_error: false },
      {
        type: 'tool_result',
        id: 'm2.2',
        ...guessed,
        tool_use_id: 't3',
        content: '["a.js:1","b.js:2"]',
        is_error: false,
      },
      { type: 'tool_result', id: 'm2.3', ...guessed, tool_use_id: 't4', content: 'no such file', is_error: true },
      { type: 'assistant', id: 'm3', ...guessed, content: [{ type: 'text', text: 'Half' }] },
      { type: 'system', subtype: 'interrupted', id: 'm3.1', ...guessed, content: { type: 'cancelled' } },
      {
        type: 'native',
        id: 'm4',
        ...guessed,
        record: { role: 'info', messageId: 4, content: [{ type: 'manual_bash_invocation', args: { cmd: 'ls' } }] },
      },
      { type: 'user', id: 'm5', timestamp: '2026-11-15T18:40:09.000Z', content: 'Go on' },
      {
        type: 'system',
        subtype: 'api_error',
        id: 'm6',
        timestamp: '2026-11-15T18:40:09.000Z',
        timestamp_guessed: true,
        content: { type: 'error', error: { message: 'overloaded' } },
      },
    ])
  })

  test.each([
    ['the last answer is incomplete as long as it says so', [], ['user m0', 'thinking m1', 'incomplete m1.1']],
    [
      'a kill before another message has interrupted it',
      [{ role: 'user', messageId: 2, content: 'Go on' }],
      ['user m0', 'thinking m1', 'assistant m1.1', 'interrupted m1.2', 'user m2'],
    ],
  ])('an answer that is being written: %s', (_title, after, expected) => {
    const io = fixture(legacy)
    const head = headOf(io, killed)
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Half' },
    ]
    const messages = [
      { role: 'user', messageId: 0, content: 'Write' },
      { role: 'assistant', messageId: 1, state: { type: 'streaming' }, content },
      ...after,
    ]
    writeFileSync(head.path, JSON.stringify({ messages }))
    const { events, problems } = readAll(agent, head, io)
    const nameOf = (event: IonEvent): string => (event.type === 'system' ? event.subtype : event.type)
    expect(events.slice(1).map((event) => `${nameOf(event)} ${event.id}`)).toEqual(expected)
    expect(problems).toEqual([])
  })

  test('the head of a thread without a title', () => {
    const io = fixture('handmade-blocks')
    const { revision: _revision, bytes: _bytes, ...head } = headOf(io, blocks)
    expect(head).toEqual({
      id: sessionId('amp', blocks),
      agent: 'amp',
      native_id: blocks,
      path: join(io.home, `.local/share/amp/threads/${blocks}.json`),
      title: 'Fix the tax',
      cwd: '/home/dev3/projects/shop ünï',
      created_at: '2026-11-15T18:40:00.000Z',
      updated_at: '2026-11-15T18:40:09.000Z',
      model: 'claude-opus-4-5-20251101',
      agent_version: null,
      format: 'thread-json',
      resumable: true,
    })
  })

  test('a truncated file is a problem when listed and when read; the others are listed', () => {
    const io = fixture(legacy)
    const head = headOf(io, killed)
    writeFileSync(head.path, readFileSync(head.path).subarray(0, 700))
    const { heads, problems } = listAll(agent, io)
    expect(heads.length).toBe(4)
    expect(problems).toEqual([
      { code: 'not_json', problem: expect.stringMatching(/^cannot read: not JSON: /), path: head.path },
    ])
    const reading = readContext(io)
    const read = readAll(agent, head, io, reading)
    expect(read.events.map((event) => event.type)).toEqual(['session_start'])
    expect(read.problems).toEqual([
      { code: 'not_json', problem: expect.stringMatching(/^not JSON: /), path: head.path },
    ])
    expect(reading.coverage.bad).toBe(1)
  })

  test('messages of unknown shapes are kept', () => {
    const io = fixture(legacy)
    const head = headOf(io, killed)
    writeFileSync(
      head.path,
      JSON.stringify({ messages: [5, { role: 'user', content: 7 }, { role: 'user', content: 'x' }] }),
    )
    const { events, problems } = readAll(agent, head, io)
    expect(events.slice(1)).toMatchObject([
      { type: 'native', id: '#0', record: { message: 5 } },
      { type: 'native', id: '#1', record: { role: 'user', content: 7 } },
      { type: 'user', id: '#2', content: 'x' },
    ])
    expect(problems).toEqual([
      { code: 'invalid_record', problem: 'record #1 is not as expected: content is not an array', path: head.path },
    ])
  })
})

describe('amp: threads known only by their id', () => {
  test('are listed once, and reading them says where they are', () => {
    const io = fixture(current)
    const { heads } = listAll(agent, io)
    expect(heads).toEqual([
      {
        id: sessionId('amp', onServer),
        agent: 'amp',
        native_id: onServer,
        path: expect.stringMatching(/(session|last-threads\/.*)\.json$/),
        title: null,
        cwd: null,
        created_at: null,
        updated_at: expect.any(String),
        model: null,
        bytes: 0,
        revision: expect.stringMatching(/^server:/),
        agent_version: null,
        format: 'server-thread',
        resumable: true,
      },
    ])
    expect(agent.resumeCommand(heads[0]!)).toEqual(['amp', 'threads', 'continue', onServer])
    const { events, problems } = readAll(agent, heads[0]!, io)
    expect(events).toMatchObject([{ type: 'session_start', native_id: onServer, title: null, cwd: null }])
    expect(problems).toEqual([
      {
        code: 'missing',
        problem: "the thread is on Amp's server and only its id is here; ask for it with --remote",
        path: heads[0]!.path,
      },
    ])
  })

  test('an invalid id is ignored, and a bad file is a problem', () => {
    const io = scratchIo()
    const data = join(io.home, '.local/share/amp')
    mkdirSync(join(data, 'last-threads'), { recursive: true })
    writeFileSync(join(data, 'session.json'), '{"lastThreadId":"T-../../../etc/passwd"}')
    writeFileSync(join(data, 'last-threads/a-execute-session.json'), '"T-')
    writeFileSync(join(data, 'last-threads/b-execute-session.json'), `"${exported}"`)
    const { heads, problems } = listAll(agent, io)
    expect(heads.map((head) => head.native_id)).toEqual([exported])
    expect(problems).toEqual([
      {
        code: 'not_json',
        problem: expect.stringMatching(/^cannot read: not JSON: /),
        path: join(data, 'last-threads/a-execute-session.json'),
      },
    ])
  })
})
