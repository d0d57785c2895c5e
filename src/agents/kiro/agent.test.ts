import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { dataFolder } from './paths.ts'

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))
const numbered = (letter: string, last: number): string[] =>
  Array.from({ length: last }, (_, n) => `${letter}000000${n + 1}-0000-4000-8000-00000000000${n + 1}`)
const folders = numbered('d', 4).map((id) => `sess_${id}`)

const parent = 'b1000001-0000-4000-8000-000000000001'
const child = 'b1000002-0000-4000-8000-000000000002'
const unused = 'b1000003-0000-4000-8000-000000000003'
const folder = 'sess_d1000001-0000-4000-8000-000000000001'
const oldOnly = 'a2000001-0000-4000-8000-000000000001'
const carried = 'a2000002-0000-4000-8000-000000000002'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    'handmade-2.28.0': [...numbered('a', 6), ...numbered('b', 5), ...folders],
    'handmade-details': [oldOnly, carried, parent, child, unused, folder],
  },
  meaning: {
    // Engine v1, with the prompt sent by a resume, and engine v2.
    'a0000003-0000-4000-8000-000000000003': { typed: ['First task', 'Second prompt'] },
    [parent]: {
      typed: ['Audit the cart', 'Sent, then killed: the metadata does not know of it'],
      tokens: { input: 900, output: 40, cache_read: 30 },
      failed: ['t2'],
    },
  },
  lacks: { branches: 'its history is a list' },
  overrides: [
    {
      env: (_io, root) => ({ KIRO_HOME: join(root, '.kiro'), XDG_DATA_HOME: join(root, '.local/share') }),
      move: ['.', '.'],
    },
  ],
  lines: {
    session: 'b0000003-0000-4000-8000-000000000003',
    unknown: '{"version":"v9","kind":"FromTheFuture","data":{"message_id":"f1","a":[1]}}',
  },
  openTransaction: (io) => {
    const database = openDatabase(join(dataFolder(io), 'data.sqlite3'))
    database.exec("BEGIN IMMEDIATE; UPDATE conversations_v2 SET value = 'half done'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((found) => found.native_id === native)!
}

/** The events without their common fields. */
function contentOf(events: readonly IonEvent[]): unknown[] {
  return events
    .slice(1)
    .map(({ seq: _seq, parent_id: _parent, timestamp: _time, timestamp_guessed: _guess, ...event }) => event)
}

describe('kiro: engine v2', () => {
  test('a session with a tool, complete', () => {
    const io = fixture('handmade-2.28.0')
    const native = 'b0000002-0000-4000-8000-000000000002'
    const { events, problems } = readAll(agent, headOf(io, native), io)
    expect(problems).toEqual([])
    expect(events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: `${native}:start`,
        parent_id: null,
        timestamp: '2026-11-01T10:00:00.000Z',
        session_id: native,
        agent: 'kiro',
        native_id: native,
        cwd: '/home/dev4/projects/shop',
        project: '/home/dev4/projects/shop',
        title: 'List the sources',
        source: { agent_version: null, format: 'v2-jsonl' },
      },
      {
        type: 'user',
        seq: 1,
        id: 'm1',
        parent_id: `${native}:start`,
        timestamp: '2026-11-01T10:00:00.000Z',
        content: 'List the sources',
      },
      {
        type: 'assistant',
        seq: 2,
        id: 'm2',
        parent_id: 'm1',
        timestamp: '2026-11-01T10:00:00.000Z',
        timestamp_guessed: true,
        content: [{ type: 'text', text: 'Let me look.' }],
      },
      {
        type: 'tool_use',
        seq: 3,
        id: 't1',
        parent_id: 'm2',
        timestamp: '2026-11-01T10:00:00.000Z',
        timestamp_guessed: true,
        name: 'execute_bash',
        input: { command: 'ls src' },
      },
      {
        type: 'tool_result',
        seq: 4,
        id: 'm3',
        parent_id: 't1',
        timestamp: '2026-11-01T10:00:00.000Z',
        timestamp_guessed: true,
        tool_use_id: 't1',
        content: 'cart.js\ncatalog.js\nindex.js',
        is_error: false,
      },
      {
        type: 'assistant',
        seq: 5,
        id: 'm4',
        parent_id: 'm3',
        timestamp: '2026-11-01T10:00:00.000Z',
        timestamp_guessed: true,
        content: [{ type: 'text', text: 'Three files.' }],
      },
    ])
  })

  test('thinking, several results, a compaction, an interruption, tokens, and lines missing from the metadata', () => {
    const io = fixture('handmade-details')
    const { events, problems } = readAll(agent, headOf(io, parent), io)
    expect(problems).toEqual([])
    expect(contentOf(events)).toEqual([
      { type: 'user', id: 'p1', content: 'Audit the cart' },
      {
        type: 'native',
        id: 'p1.1',
        record: { kind: 'image', data: { format: 'png', source: { kind: 'bytes', data: [1, 2] } } },
      },
      { type: 'thinking', id: 'a1', content: 'Use a helper.', model: 'claude-sonnet-4.5' },
      { type: 'assistant', id: 'a1.1', content: [{ type: 'text', text: 'I ask a helper.' }] },
      { type: 'tool_use', id: 't1', name: 'subagent', input: { task: 'audit' } },
      { type: 'tool_use', id: 't2', name: 'read', input: { path: 'gone' } },
      {
        type: 'tool_result',
        id: 'r1',
        tool_use_id: 't1',
        content: [
          { type: 'text', text: '{"ok":true}' },
          { type: 'text', text: 'done' },
        ],
        is_error: false,
      },
      { type: 'tool_result', id: 'r1.1', tool_use_id: 't2', content: 'no such file', is_error: true },
      { type: 'assistant', id: 'a2', content: [{ type: 'text', text: 'All\nfine.' }] },
      { type: 'compaction', id: expect.stringMatching(/^@\d+$/), summary: 'The cart was audited.', replaces: [] },
      { type: 'system', subtype: 'interrupted', id: 'p2', content: { message_id: 'p2' } },
      { type: 'system', subtype: 'cleared', id: expect.stringMatching(/^@\d+$/), content: null },
      { type: 'user', id: 'p3', content: 'Sent, then killed: the metadata does not know of it' },
      {
        type: 'system',
        subtype: 'usage',
        id: `${parent}:turn:0`,
        content: { metering_usage: [{ value: 0.25, unit: 'credit', unitPlural: 'credits' }] },
        token_usage: { input: 900, output: 40, cache_read: 30, cache_write: 0, reasoning: 0 },
        call: { is_sum: true },
      },
    ])
  })

  test('the head comes from both ends of metadata that grows, and from the last line', () => {
    const io = fixture('handmade-details')
    const { revision: _revision, bytes: _bytes, path, ...head } = headOf(io, parent)
    expect(path).toBe(join(io.home, `.kiro/sessions/cli/${parent}.jsonl`))
    expect(head).toEqual({
      id: parent,
      agent: 'kiro',
      native_id: parent,
      title: 'Audit the cart',
      cwd: '/home/dev4/projects/shop',
      created_at: '2026-11-03T10:00:00.123Z',
      // From the prompt after the last update of the metadata.
      updated_at: '2026-11-03T10:01:40.000Z',
      model: 'claude-sonnet-4.5',
      agent_version: null,
      format: 'v2-jsonl',
      resumable: true,
    })
    const reading = readContext(io)
    listAll(agent, io, reading)
    expect(reading.bytes).toBeLessThan(80_000)
  })

  test('a sub-agent is a separate session with a parent, and not resumable', () => {
    const io = fixture('handmade-details')
    const head = headOf(io, child)
    expect(head).toMatchObject({ parent_session: sessionId('kiro', parent), resumable: false, title: 'audit' })
    expect(agent.resumeCommand(head)).toBeUndefined()
    expect(readAll(agent, head, io).events[0]).toMatchObject({ type: 'session_start', parent_session: parent })
  })

  test('a session that was never used has a start and nothing else', () => {
    const io = fixture('handmade-details')
    const head = headOf(io, unused)
    expect(head).toMatchObject({ title: 'Opened and never used', path: expect.stringMatching(/\.json$/) })
    const { events, problems } = readAll(agent, head, io)
    expect([events.map((event) => event.type), problems]).toEqual([['session_start'], []])
  })

  test('without metadata, or with truncated metadata, the session is read from its lines', () => {
    const io = fixture('handmade-2.28.0')
    const meta = join(io.home, '.kiro/sessions/cli/b0000001-0000-4000-8000-000000000001.json')
    writeFileSync(meta, readFileSync(meta).subarray(0, 120))
    const torn = headOf(io, 'b0000001-0000-4000-8000-000000000001')
    expect(torn).toMatchObject({ title: 'Explain the cart in one line', cwd: null })
    expect(readAll(agent, torn, io)).toMatchObject({
      events: [{ type: 'session_start' }, { type: 'user' }, { type: 'assistant' }],
      problems: [{ code: 'not_json', problem: expect.stringContaining('cannot read the metadata'), path: meta }],
    })
    rmSync(meta)
    const alone = headOf(io, 'b0000001-0000-4000-8000-000000000001')
    expect(alone).toMatchObject({ title: 'Explain the cart in one line', created_at: '2026-11-01T10:00:00.000Z' })
    expect(readAll(agent, alone, io).problems).toEqual([])
  })

  test('fields of unexpected types are reported and kept', () => {
    const io = fixture('handmade-2.28.0')
    const head = headOf(io, 'b0000001-0000-4000-8000-000000000001')
    appendFileSync(head.path, '{"kind":"Prompt","data":{"content":7}}\n{"kind":"AssistantMessage","data":null}\n')
    const { events, problems } = readAll(agent, head, io)
    expect(events.slice(3)).toMatchObject([
      { type: 'native', record: { kind: 'Prompt', data: { content: 7 } } },
      { type: 'native', record: { kind: 'AssistantMessage', data: null } },
    ])
    expect(problems.map((problem) => problem.problem.replace(/@\d+/, '@'))).toEqual([
      'record @ is not as expected: content is not an array',
      'record @ is not as expected: content is not an array',
    ])
  })
})
