import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, type Read, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { type Database, openDatabase } from '../../platform/sqlite.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { databasePath, sessionsFolder } from './paths.ts'

const numbers = [1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9]
const schema13 = ['20260520_1', '20260520_2', '20260520_3', '20260520_4']

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '1.52.0': numbers.map((n) => `20261115_${n}`),
    'handmade-schema-13': schema13,
    'legacy-jsonl': ['20250325_200615'],
  },
  meaning: {
    '20261115_12': {
      typed: ['TOOL: cat /nonexistent-file'],
      tokens: { input: 377, output: 14 },
      failed: ['call_88'],
    },
  },
  lacks: { branches: 'its messages are a list' },
  overrides: [
    { env: (_io, root) => ({ XDG_DATA_HOME: root }), move: ['.local/share/goose', 'goose'] },
    { env: (_io, root) => ({ GOOSE_PATH_ROOT: root }), move: ['.local/share/goose', 'data'] },
  ],
  lines: { session: '20250325_200615', unknown: '{"role":"from-the-future","created":1742932579,"content":[]}' },
  openTransaction: (io) => {
    const database = openDatabase(databasePath(io))
    database.exec("BEGIN IMMEDIATE; UPDATE sessions SET name = 'half done'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

function readOne(io: Io, nativeId: string): Read {
  return readAll(agent, listAll(agent, io).heads.find((head) => head.native_id === nativeId)!, io)
}

/** Writes into a copy of the real database, as another program would. */
function change(io: Io, body: (database: Database) => void): void {
  const database = openDatabase(databasePath(io))
  body(database)
  database.close()
}

interface Row {
  readonly id: string
  readonly role: string
  readonly content: unknown
  readonly metadata?: object
}

/** A session `own` with these messages, a second apart. */
function withRows(io: Io, rows: readonly Row[]): void {
  change(io, (database) => {
    database.exec(`INSERT INTO sessions (id, working_dir, created_at, updated_at)
      VALUES ('own', '/home/dev/shop', '2026-11-15 20:00:00', '2026-11-15 20:00:00')`)
    const insert = database.prepare(
      'INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?, ?)',
    )
    for (const [n, { id, role, content, metadata }] of rows.entries()) {
      const json = typeof content === 'string' ? content : JSON.stringify(content)
      insert.run(id, 'own', role, json, 1794772800 + n, metadata ? JSON.stringify(metadata) : null)
    }
  })
}

const text = (words: string): object[] => [{ type: 'text', text: words }]
const time = (second: number): string => `2026-11-15T20:00:0${second}.000Z`
const event = (seq: number, id: string, parent_id: string, second: number, rest: object): object => ({
  seq,
  id,
  parent_id,
  timestamp: time(second),
  ...rest,
})

describe('schema 13', () => {
  test('heads: archived, hidden and sub-agent sessions are listed and marked', () => {
    const io = fixture('handmade-schema-13')
    const common = {
      agent: 'goose',
      path: databasePath(io),
      cwd: '/home/dev4/projects/shop',
      model: 'gpt-4o',
      agent_version: null,
      format: 'sqlite',
      revision: expect.any(String),
      bytes: expect.any(Number),
    }
    const head = (n: number, hour: string, second: number, rest: object): object => ({
      ...common,
      id: sessionId('goose', schema13[n]!),
      native_id: schema13[n],
      created_at: `2026-05-20T${hour}:00:00.000Z`,
      updated_at: `2026-05-20T${hour}:00:0${second}.000Z`,
      ...rest,
    })
    expect(listAll(agent, io)).toEqual({
      heads: [
        head(0, '08', 4, { title: 'list the shop', resumable: true }),
        head(1, '09', 1, { title: 'put away', resumable: true, hidden: true }),
        head(2, '10', 1, { title: 'a question of --no-session', resumable: true, hidden: true }),
        head(3, '11', 1, { title: 'count the files', resumable: false, hidden: true }),
      ],
      problems: [],
    })
  })

  test('text and tool call of one answer in two rows, usage from the session', () => {
    const io = fixture('handmade-schema-13')
    const { events, items } = readOne(io, '20260520_1')
    const at = (seq: number, id: string, parent_id: string, second: number, rest: object): object => ({
      ...event(seq, id, parent_id, second, rest),
      timestamp: `2026-05-20T08:00:0${second}.000Z`,
    })
    expect(events.slice(1)).toEqual([
      at(1, 'msg_a', '20260520_1:start', 0, { type: 'user', content: 'What is in the shop?' }),
      at(2, 'chatcmpl-1', 'msg_a', 1, { type: 'assistant', content: text('Let me look.') }),
      at(3, 'call_1', 'chatcmpl-1', 1, { type: 'tool_use', name: 'developer__shell', input: { command: 'ls' } }),
      at(4, 'msg_b', 'call_1', 2, { type: 'tool_result', tool_use_id: 'call_1', content: 'cart.ts', is_error: false }),
      at(5, 'chatcmpl-2', 'msg_b', 3, { type: 'assistant', content: text('One file: cart.ts.') }),
      at(6, '20260520_1:usage', 'chatcmpl-2', 3, {
        type: 'system',
        subtype: 'usage',
        content: null,
        timestamp_guessed: true,
        token_usage: { input: 313, output: 14, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { is_sum: true },
      }),
    ])
    expect(summarise(items)).toMatchObject({ messages: 3, tool_calls: 1, updated_at: '2026-05-20T08:00:03.000Z' })
  })
})

describe('schema 16', () => {
  test('everything is in the -wal of a database of one page', () => {
    const io = fixture('1.52.0')
    expect(readFileSync(databasePath(io)).length).toBe(4096)
    const reading = readContext(io)
    const { heads } = listAll(agent, io)
    for (const head of heads) readAll(agent, head, io, reading)
    expect(reading.coverage).toEqual({ known: 51, skipped: 0, native: 0, bad: 0 })
    // Without the WAL there are no sessions.
    for (const ending of ['-wal', '-shm']) rmSync(databasePath(io) + ending)
    expect(listAll(agent, io)).toEqual({ heads: [], problems: [] })
  })

  test('a session, complete: usage and model of each call; a generated row is not a user event', () => {
    const io = fixture('1.52.0')
    const { events, items } = readOne(io, '20261115_12')
    const second = { timestamp: '2026-11-15T19:01:02.000Z' }
    const usage = (input: number): object => ({ input, output: 7, cache_read: 0, cache_write: 0, reasoning: 0 })
    expect(events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: '20261115_12:start',
        parent_id: null,
        timestamp: '2026-11-15T19:01:01.000Z',
        session_id: sessionId('goose', '20261115_12'),
        agent: 'goose',
        native_id: '20261115_12',
        cwd: '/home/dev4/projects/shop',
        project: '/home/dev4/projects/shop',
        title: 'tool-error',
        model: 'gpt-4o',
        source: { agent_version: null, format: 'sqlite' },
      },
      {
        ...event(1, 'msg_2d5fe880-3002-42c6-9e38-87103325d5ed', '20261115_12:start', 0, {}),
        ...second,
        type: 'user',
        content: 'TOOL: cat /nonexistent-file',
      },
      {
        ...event(2, 'msg_5feb4220-8ccc-4a08-8cb8-f5a8544a7528', 'msg_2d5fe880-3002-42c6-9e38-87103325d5ed', 0, {}),
        ...second,
        type: 'system',
        subtype: 'turn_context',
        content: expect.stringMatching(/^<turn-context>\n<current-time>/),
      },
      {
        ...event(3, 'chatcmpl-stub88', 'msg_5feb4220-8ccc-4a08-8cb8-f5a8544a7528', 0, {}),
        ...second,
        type: 'assistant',
        content: text('Let me look. '),
        model: 'gpt-4o',
        token_usage: usage(188),
        call: { id: 'chatcmpl-stub88/1794769262', cost: 540 },
      },
      {
        ...event(4, 'call_88', 'chatcmpl-stub88', 0, {}),
        ...second,
        type: 'tool_use',
        name: 'shell',
        input: { command: 'cat /nonexistent-file' },
      },
      {
        ...event(5, 'msg_3abe91f8-0919-45a9-87af-53cd9cf6c6d6', 'call_88', 0, {}),
        ...second,
        type: 'tool_result',
        tool_use_id: 'call_88',
        content: 'cat: /nonexistent-file: No such file or directory\n\nCommand exited with code 1',
        is_error: true,
      },
      {
        ...event(6, 'chatcmpl-stub89', 'msg_3abe91f8-0919-45a9-87af-53cd9cf6c6d6', 0, {}),
        ...second,
        type: 'assistant',
        content: text('stub-reply #89: TOOL: cat /nonexistent-file'),
        model: 'gpt-4o',
        token_usage: usage(189),
        call: { id: 'chatcmpl-stub89/1794769262', cost: 543 },
      },
    ])
    // Equal to the session's row: nothing is left over.
    expect(summarise(items).tokens).toEqual({ ...usage(377), output: 14 })
  })

  test('a compaction: ids stay the same, the summary is not a user event, its cost is counted', () => {
    const io = fixture('1.52.0')
    const old = { userVisible: true, agentVisible: false }
    const unseen = { userVisible: false, agentVisible: true }
    withRows(io, [
      { id: 'm1', role: 'user', content: text('long ago'), metadata: old },
      {
        id: 'm2',
        role: 'assistant',
        content: text('an answer'),
        metadata: { ...old, usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60 } },
      },
      { id: 'm3', role: 'user', content: text('The summary.'), metadata: unseen },
      { id: 'm4', role: 'assistant', content: text('I go on from the summary.'), metadata: unseen },
      { id: 'm5', role: 'user', content: text('next'), metadata: { userVisible: true, agentVisible: true } },
    ])
    const usage = `accumulated_input_tokens = 150, accumulated_output_tokens = 12, accumulated_cache_read_tokens = 70`
    change(io, (database) => database.exec(`UPDATE sessions SET ${usage} WHERE id = 'own'`))
    const { events } = readOne(io, 'own')
    const expected = [
      event(1, 'm1', 'own:start', 0, { type: 'user', content: 'long ago' }),
      event(2, 'm2', 'm1', 1, {
        type: 'assistant',
        content: text('an answer'),
        token_usage: { input: 40, output: 5, cache_read: 60, cache_write: 0, reasoning: 0 },
        call: { id: 'm2/1794772801' },
      }),
      event(3, 'm3', 'm2', 2, { type: 'compaction', summary: 'The summary.', replaces: [] }),
      event(4, 'm4', 'm3', 3, { type: 'system', subtype: 'compaction_note', content: 'I go on from the summary.' }),
      event(5, 'm5', 'm4', 4, { type: 'user', content: 'next' }),
      event(6, 'own:usage', 'm5', 4, {
        type: 'system',
        subtype: 'usage',
        content: null,
        timestamp_guessed: true,
        token_usage: { input: 40, output: 7, cache_read: 10, cache_write: 0, reasoning: 0 },
        call: { is_sum: true },
      }),
    ]
    expect(events.slice(1)).toEqual(expected)
    // Goose deletes the rows and inserts them again: other row ids, the same events.
    change(io, (database) => database.exec("UPDATE messages SET id = id + 1000 WHERE session_id = 'own'"))
    expect(readOne(io, 'own').events.slice(1)).toEqual(expected)
  })

  test('every kind of content item; an unknown one is kept', () => {
    const io = fixture('1.52.0')
    withRows(io, [
      { id: 'm1', role: 'user', content: [...text('see'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] },
      {
        id: 'm2',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'redactedThinking', data: 'x' },
          { type: 'hologram', x: 1 },
          { type: 'toolRequest', id: 'c1', toolCall: { status: 'error', error: 'no such tool' } },
          { type: 'systemNotification', msg: 'note' },
        ],
      },
      {
        id: 'm3',
        role: 'user',
        content: [{ type: 'toolResponse', id: 'c1', toolResult: { status: 'error', error: 'failed' } }],
      },
      { id: 'm4', role: 'narrator', content: text('a role of the future') },
    ])
    expect(readOne(io, 'own').events.slice(1)).toEqual([
      event(1, 'm1', 'own:start', 0, {
        type: 'user',
        content: [...text('see'), { type: 'image', media_type: 'image/png', data: 'AA==' }],
      }),
      event(2, 'm2', 'm1', 1, { type: 'thinking', content: 'hm' }),
      event(3, 'm2.1', 'm2', 1, { type: 'system', subtype: 'redacted_thinking', content: null }),
      event(4, 'm2.2', 'm2.1', 1, { type: 'native', record: { type: 'hologram', x: 1 } }),
      event(5, 'm2.3', 'm2.2', 1, {
        type: 'system',
        subtype: 'bad_tool_call',
        content: { status: 'error', error: 'no such tool' },
      }),
      event(6, 'm2.4', 'm2.3', 1, {
        type: 'system',
        subtype: 'systemNotification',
        content: { type: 'systemNotification', msg: 'note' },
      }),
      event(7, 'm3', 'm2.4', 2, { type: 'tool_result', tool_use_id: 'c1', content: 'failed', is_error: true }),
      event(8, 'm4', 'm3', 2, {
        type: 'native',
        timestamp_guessed: true,
        record: { role: 'narrator', created: 1794772803, content: text('a role of the future'), metadata: {} },
      }),
    ])
  })
})

describe('bad input', () => {
  test('a row that is not JSON, or malformed, is reported and does not affect others', () => {
    const io = fixture('1.52.0')
    withRows(io, [
      { id: 'm1', role: 'user', content: '[{"type":"te' },
      { id: 'm2', role: 'user', content: '{"no":"array"}' },
      { id: 'm3', role: 'user', content: `${'['.repeat(100_000)}${']'.repeat(100_000)}` },
      { id: 'm4', role: 'user', content: text('fine') },
    ])
    const reading = readContext(io)
    const head = listAll(agent, io).heads.find((one) => one.native_id === 'own')!
    const { events, problems } = readAll(agent, head, io, reading)
    expect(problems.map((one) => one.problem)).toEqual([
      expect.stringMatching(/^message 52 of session own cannot be read: .*JSON/),
      'record m2 is not as expected: content is not an array',
      'message 54 of session own cannot be read: nested too deep',
    ])
    expect(events.slice(1).map((one) => [one.type, one.id])).toEqual([
      ['native', 'm2'],
      ['user', 'm4'],
    ])
    expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 1, bad: 2 })
  })

  test('a row that is too large is reported without being read, and does not affect others', () => {
    const io = fixture('1.52.0')
    withRows(io, [
      { id: 'm1', role: 'user', content: text('before') },
      { id: 'm2', role: 'assistant', content: text('x'.repeat(33 * 1024 * 1024)) },
      { id: 'm3', role: 'user', content: text('after') },
    ])
    const head = listAll(agent, io).heads.find((one) => one.native_id === 'own')!
    const { events, problems } = readAll(agent, head, io)
    expect(problems).toEqual([
      {
        code: 'too_large',
        problem: 'message 53 of session own cannot be read: 35 MB is too much to read at once',
        path: head.path,
      },
    ])
    expect(events.slice(1).map(({ id }) => id)).toEqual(['m1', 'm3'])
  })

  test('columns of other types do not stop the list', () => {
    const io = fixture('handmade-schema-13')
    change(io, (database) => {
      database.exec(`INSERT INTO sessions (id, name, working_dir, created_at, updated_at, model_config_json)
        VALUES ('odd', x'00ff', x'00', 'never', -1, '[')`)
    })
    expect(listAll(agent, io).heads.find((head) => head.native_id === 'odd')).toMatchObject({
      title: null,
      cwd: null,
      created_at: null,
      updated_at: null,
      model: null,
    })
  })

  test('a database of a newer schema is read as far as its tables are known', () => {
    const io = fixture('1.52.0')
    change(io, (database) => {
      database.exec(`INSERT INTO schema_version (version) VALUES (99); ALTER TABLE sessions ADD COLUMN mood TEXT;
        ALTER TABLE messages ADD COLUMN shape TEXT; CREATE TABLE extra (x)`)
    })
    expect(listAll(agent, io).heads).toHaveLength(12)
    expect(readOne(io, '20261115_1').events).toHaveLength(4)
    change(io, (database) => database.exec('ALTER TABLE messages RENAME TO letters'))
    expect(listAll(agent, io)).toEqual({
      heads: [],
      problems: [
        {
          code: 'unknown_format',
          problem: 'not a Goose session database: no tables "sessions" and "messages"',
          path: databasePath(io),
        },
      ],
    })
  })

  test('locked by another connection: one problem', () => {
    const io = scratchIo()
    mkdirSync(sessionsFolder(io), { recursive: true })
    copyFileSync(databasePath(fixture('handmade-schema-13')), databasePath(io))
    const other = openDatabase(databasePath(io))
    other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; DELETE FROM messages')
    writeFileSync(
      join(sessionsFolder(io), '20260520_1.jsonl'),
      '{"working_dir":"/home/dev/shop","description":"old"}\n',
    )
    expect(listAll(agent, io)).toMatchObject({
      // Files beside it are still listed.
      heads: [{ native_id: '20260520_1', format: 'legacy-jsonl' }],
      problems: [
        { code: 'locked', problem: expect.stringMatching(/locked \(another program is writing; try again\)$/) },
      ],
    })
    other.exec('ROLLBACK')
    other.close()
    expect(listAll(agent, io).heads.map((head) => head.native_id)).toEqual(schema13)
  })

  test('not a database at all', () => {
    const io = scratchIo()
    mkdirSync(sessionsFolder(io), { recursive: true })
    writeFileSync(databasePath(io), 'text '.repeat(1000))
    expect(listAll(agent, io)).toEqual({
      heads: [],
      problems: [
        {
          code: 'damaged',
          problem: expect.stringMatching(/not a database \(the file is damaged\)$/),
          path: databasePath(io),
        },
      ],
    })
    rmSync(databasePath(io))
    mkdirSync(databasePath(io))
    expect(listAll(agent, io).problems).toEqual([
      { code: 'not_regular_file', problem: 'a folder where a file should be', path: databasePath(io) },
    ])
  })
})

describe('legacy JSONL', () => {
  const id = '20250325_200615'

  test('a file that was never imported is a session', () => {
    const io = fixture('legacy-jsonl')
    const { events, problems } = readOne(io, id)
    expect(problems).toEqual([])
    const at = (
      seq: number,
      offset: number | string,
      before: number | string,
      second: number,
      rest: object,
    ): object => ({
      seq,
      id: typeof offset === 'number' ? `@${offset}` : offset,
      parent_id: typeof before === 'number' ? `@${before}` : before,
      timestamp: `2025-03-25T19:56:1${second}.000Z`,
      ...rest,
    })
    expect(events.slice(1)).toEqual([
      at(1, 0, `${id}:start`, 5, {
        type: 'system',
        subtype: 'usage',
        content: null,
        timestamp_guessed: true,
        token_usage: { input: 90, output: 10, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { is_sum: true },
      }),
      at(2, 270, 0, 5, { type: 'user', content: 'LEG-USER-1 héllo' }),
      at(3, 362, 270, 6, { type: 'assistant', content: text('LEG-ASSIST-1') }),
      at(4, 'c9', 362, 6, { type: 'tool_use', name: 'developer__shell', input: { command: 'ls' } }),
      at(5, 584, 'c9', 7, { type: 'tool_result', tool_use_id: 'c9', content: 'cart.js', is_error: false }),
      at(6, 744, 584, 8, { type: 'assistant', content: text('LEG-ASSIST-2') }),
    ])
    expect(listAll(agent, io).heads).toMatchObject([{ native_id: id, format: 'legacy-jsonl', resumable: false }])
    expect(agent.resumeCommand(listAll(agent, io).heads[0]!)).toBeUndefined()
  })

  test('a file that Goose imported is listed once, from the database', () => {
    const io = fixture('1.52.0')
    const legacy = fixture('legacy-jsonl')
    copyFileSync(join(sessionsFolder(legacy), `${id}.jsonl`), join(dirname(databasePath(io)), `${id}.jsonl`))
    const formats = (): string[] =>
      listAll(agent, io).heads.flatMap((head) => (head.native_id === id ? [head.format] : []))
    expect(formats()).toEqual(['legacy-jsonl'])
    change(io, (database) => database.exec(`INSERT INTO sessions (id, working_dir) VALUES ('${id}', '/home/dev/shop')`))
    expect(formats()).toEqual(['sqlite'])
  })
})
