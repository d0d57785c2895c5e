import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, type Read, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

const long = 'a1000001-0000-4000-8000-000000000001'
const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    'handmade-1.19.7': [1, 2, 3, 4, 5, 6, 7].map((n) => `a000000${n}-0000-4000-8000-00000000000${n}`),
    'handmade-compacted': [long, `${long}@/home/dev4/projects/moved`, 'a1000002-0000-4000-8000-000000000002'],
  },
  meaning: {
    'a0000003-0000-4000-8000-000000000003': { typed: ['First task', 'Second prompt'] },
    'a0000005-0000-4000-8000-000000000005': { typed: ['Run the slow command', 'never mind'], failed: ['tooluse_9'] },
  },
  lacks: { tokens: 'it stores no token counts', branches: 'its history is a list' },
  overrides: [{ env: (_io, root) => ({ XDG_DATA_HOME: root }), move: ['.local/share/amazon-q', 'amazon-q'] }],
  openTransaction: (io) => {
    const database = openDatabase(databasePath(io))
    database.exec("BEGIN IMMEDIATE; UPDATE conversations SET value = 'half done'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})

function readSession(io: Io, native: string): Read {
  const head = listAll(agent, io).heads.find((found) => found.native_id === native)!
  return readAll(agent, head, io)
}

/** The events without their common fields. */
function contentOf(events: readonly IonEvent[]): unknown[] {
  return events.slice(1).map(({ seq: _seq, parent_id: _parent, timestamp: _time, ...event }) => event)
}

const environment = (cwd: string): object => ({
  operating_system: 'linux',
  current_working_directory: cwd,
  environment_variables: [],
})

describe('amazon-q', () => {
  test('a conversation with a tool, complete', () => {
    const io = fixture('handmade-1.19.7')
    const native = 'a0000002-0000-4000-8000-000000000002'
    const base = { timestamp: '2026-11-01T10:00:00.000Z' }
    const later = { timestamp: '2026-11-01T10:00:02.000Z' }
    const cwd = '/home/dev4/projects/shop-tools'
    expect(readSession(io, native)).toMatchObject({ problems: [] })
    expect(readSession(io, native).events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: `${native}:start`,
        parent_id: null,
        ...base,
        session_id: native,
        agent: 'amazon-q',
        native_id: native,
        cwd,
        project: cwd,
        title: 'List the sources',
        model: 'claude-sonnet-4',
        source: { agent_version: null, format: 'sqlite' },
      },
      {
        type: 'system',
        subtype: 'environment',
        seq: 1,
        id: 'm0:environment',
        parent_id: `${native}:start`,
        ...base,
        content: environment('/home/dev4/projects/shop'),
      },
      { type: 'user', seq: 2, id: 'm0:user', parent_id: 'm0:environment', ...base, content: 'List the sources' },
      {
        type: 'assistant',
        seq: 3,
        id: 'm0',
        parent_id: 'm0:user',
        ...later,
        model: 'claude-sonnet-4',
        content: [{ type: 'text', text: 'Let me look.' }],
      },
      {
        type: 'tool_use',
        seq: 4,
        id: 'tooluse_1',
        parent_id: 'm0',
        ...later,
        name: 'execute_bash',
        input: { command: 'ls src' },
      },
      {
        type: 'tool_result',
        seq: 5,
        id: 'tooluse_1:result',
        parent_id: 'tooluse_1',
        ...base,
        tool_use_id: 'tooluse_1',
        content: 'cart.js\ncatalog.js\nindex.js',
        is_error: false,
      },
      {
        type: 'assistant',
        seq: 6,
        id: 'm1',
        parent_id: 'tooluse_1:result',
        ...later,
        model: 'claude-sonnet-4',
        content: [{ type: 'text', text: 'Three files.' }],
      },
    ])
  })

  test('a cancelled tool becomes a failed result, an interruption, and the text typed after it', () => {
    const { events } = readSession(fixture('handmade-1.19.7'), 'a0000005-0000-4000-8000-000000000005')
    expect(contentOf(events).slice(4)).toEqual([
      {
        type: 'tool_result',
        id: 'tooluse_9:result',
        tool_use_id: 'tooluse_9',
        content: 'Tool use was cancelled by the user',
        is_error: true,
      },
      { type: 'system', subtype: 'interrupted', id: 'm1:cancelled', content: 'tool uses were cancelled' },
      { type: 'user', id: 'm1:user', content: 'never mind' },
      { type: 'assistant', id: 'm1', model: 'claude-sonnet-4', content: [{ type: 'text', text: 'Stopped.' }] },
    ])
  })

  test('the prompt that a resume sends is not the user’s', () => {
    const { events } = readSession(fixture('handmade-1.19.7'), 'a0000003-0000-4000-8000-000000000003')
    expect(events.flatMap((event) => (event.type === 'user' ? [event.content] : []))).toEqual([
      'First task',
      'Second prompt',
    ])
    expect(contentOf(events)).toContainEqual({
      type: 'system',
      subtype: 'resume_prompt',
      id: 'm1:user',
      content: 'In a few words, summarize our conversation so far.',
    })
  })

  test('a summary, images, results of several parts, a pending message and unknown variants', () => {
    const { events, problems } = readSession(fixture('handmade-compacted'), long)
    expect(problems).toEqual([])
    expect(contentOf(events)).toEqual([
      {
        type: 'compaction',
        id: expect.stringMatching(/^summary-/),
        summary: 'We built the cart, then the tax.',
        replaces: [],
      },
      {
        type: 'system',
        subtype: 'environment',
        id: 'msg-7:environment',
        content: environment('/home/dev4/projects/long'),
      },
      {
        type: 'system',
        subtype: 'additional_context',
        id: 'msg-7:context',
        content: '--- hook output ---\nbranch main',
      },
      {
        type: 'user',
        id: 'msg-7:user',
        content: [
          { type: 'text', text: 'What is on this picture?' },
          { type: 'image', media_type: 'image/png', data: 'iVBORw==' },
        ],
      },
      { type: 'thinking', id: 'msg-7:thinking', content: 'Two files, then.', model: 'claude-sonnet-4.5' },
      { type: 'tool_use', id: 'tooluse_a', name: 'fs_read', input: { path: 'a.json' } },
      { type: 'tool_use', id: 'tooluse_b', name: 'fs_read', input: { path: 'gone' } },
      {
        type: 'tool_result',
        id: 'tooluse_a:result',
        tool_use_id: 'tooluse_a',
        content: [
          { type: 'text', text: '{"rows":2}' },
          { type: 'text', text: 'and text' },
        ],
        is_error: false,
      },
      {
        type: 'tool_result',
        id: 'tooluse_b:result',
        tool_use_id: 'tooluse_b',
        content: 'no such file',
        is_error: true,
      },
      { type: 'assistant', id: 'msg-8', model: 'claude-sonnet-4.5', content: [{ type: 'text', text: 'A duck.' }] },
      {
        type: 'system',
        subtype: 'environment',
        id: 'msg-9:environment',
        content: environment('/home/dev4/projects/other'),
      },
      { type: 'native', id: 'msg-9:user', record: { FromTheFuture: { words: '?' } } },
      { type: 'native', id: 'msg-9', record: { Song: { notes: [1, 2] } } },
      {
        type: 'system',
        subtype: 'environment',
        id: expect.stringMatching(/^next-.*:environment$/),
        content: environment('/home/dev4/projects/long'),
      },
      { type: 'user', id: expect.stringMatching(/^next-.*:user$/), content: 'And the last one, not answered' },
    ])
    expect(events[1]!.timestamp).toBe('2026-11-02T08:59:02.000Z')
    expect(events.at(-1)!.timestamp).toBe('2026-11-02T09:10:00.000Z')
  })

  test('ids stay the same when a compaction removes the start of the history', () => {
    const io = fixture('handmade-compacted')
    const before = readSession(io, long).events.map((event) => event.id)
    edit(io, `UPDATE conversations SET value = json_remove(value, '$.history[0]') WHERE key LIKE '%/long'`)
    const after = readSession(io, long).events.map((event) => event.id)
    // The first entry's environment is now in the next one.
    expect(after.filter((id) => !before.includes(id))).toEqual(['msg-8:environment'])
    expect(after).toContain('tooluse_b:result')
  })

  test('a conversation that was replaced by another one is reported', () => {
    const io = fixture('handmade-1.19.7')
    const head = listAll(agent, io).heads[0]!
    edit(io, `UPDATE conversations SET value = json_set(value, '$.conversation_id', 'new') WHERE key = '${head.cwd}'`)
    const { events, problems } = readAll(agent, head, io)
    expect(events.map((event) => event.type)).toEqual(['session_start'])
    expect(problems).toEqual([
      {
        code: 'missing',
        problem: 'the conversation is gone; /home/dev4/projects/shop has no row with its id',
        path: head.path,
      },
    ])
  })

  test('a conversation that is too large is reported without being read', () => {
    const io = fixture('handmade-1.19.7')
    edit(io, "UPDATE conversations SET value = value || hex(zeroblob(34000000)) WHERE key LIKE '%/shop-tools'")
    const { heads, problems } = listAll(agent, io)
    expect(problems).toEqual([
      {
        code: 'too_large',
        problem: 'the conversation of /home/dev4/projects/shop-tools has 68 MB, which is too much to read at once',
        path: databasePath(io),
      },
    ])
    expect(heads).toHaveLength(6)
  })

  test('damaged rows are problems, and the others are listed', () => {
    const io = fixture('handmade-1.19.7')
    const path = databasePath(io)
    edit(
      io,
      `UPDATE conversations SET value = '{"conversation_id":' WHERE key LIKE '%/shop';
       UPDATE conversations SET value = '{"history":[]}' WHERE key LIKE '%/shop-tools';
       UPDATE conversations SET value = json_set(value, '$.history', 5) WHERE key LIKE '%/shop-resumed';
       UPDATE conversations SET value = json_set(value, '$.history[0]', 'x') WHERE key LIKE '%/shop-unicode';`,
    )
    const { heads, problems } = listAll(agent, io)
    expect(problems).toEqual(
      ['shop', 'shop-tools'].map((name) => ({
        code: 'invalid_record',
        problem: `the row of /home/dev4/projects/${name} is not a conversation (no JSON, or no conversation_id)`,
        path,
      })),
    )
    expect(heads.map((head) => [head.cwd, head.title])).toEqual([
      ['/home/dev4/projects/shop-resumed', null],
      ['/home/dev4/projects/shop-unicode', null],
      ['/home/dev4/projects/shop-cancelled', 'Run the slow command'],
      ['/home/dev4/projects/shop-killed', 'Killed while the tool ran'],
      ['/home/dev4/projects/shop-minimal', 'SYN-USER'],
    ])
    expect(readAll(agent, heads[0]!, io).problems).toEqual([
      { code: 'invalid_record', problem: 'the conversation has no history', path },
    ])
    expect(readAll(agent, heads[1]!, io).events.slice(1)).toMatchObject([{ type: 'native', record: { history: 'x' } }])
  })

  test('a file that is not a database is a problem', () => {
    const io = scratchIo()
    mkdirSync(dirname(databasePath(io)), { recursive: true })
    writeFileSync(databasePath(io), 'not a database, but long enough to be taken for one\n'.repeat(100))
    const { heads, problems } = listAll(agent, io)
    expect(heads).toEqual([])
    expect(problems).toEqual([
      {
        code: 'damaged',
        problem: expect.stringContaining('not a database (the file is damaged)'),
        path: databasePath(io),
      },
    ])
  })

  test('on a Mac it is in Application Support, whatever XDG says', () => {
    const linux = fixture('handmade-1.19.7')
    const mac: Io = {
      ...linux,
      platform: 'darwin',
      env: { ...linux.env, XDG_DATA_HOME: join(linux.home, '.local/share') },
    }
    expect(listAll(agent, mac)).toEqual({ heads: [], problems: [] })
    mkdirSync(join(mac.home, 'Library/Application Support'), { recursive: true })
    renameSync(join(mac.home, '.local/share/amazon-q'), join(mac.home, 'Library/Application Support/amazon-q'))
    expect(listAll(agent, mac).heads.length).toBe(7)
  })

  test('resumes the only conversation of its folder', () => {
    const head = listAll(agent, fixture('handmade-1.19.7')).heads[0]!
    expect(agent.resumeCommand(head)).toEqual(['q', 'chat', '--resume'])
  })
})

function edit(io: Io, sql: string): void {
  const database = openDatabase(databasePath(io))
  database.exec(sql)
  database.close()
}
