import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'

const fixtures = new URL('./fixtures/', import.meta.url)
const numbered = (letter: string, n: number): string => `${letter}000000${n}-0000-4000-8000-00000000000${n}`
const SHOP = 'b6f4fd07c9b2b6b32398e98d12e95c4f'

testAgent(agent, fixtures, {
  sessions: {
    'handmade-store': [1, 2, 3, 4, 5].map((n) => numbered('c', n)),
    'handmade-rich': [1, 2, 3, 4, 5, 6, 7, 8].map((n) => numbered('d', n)),
    'sdk-1.1.0': ['agent-c0000011-0000-4000-8000-000000000011', 'c0000012-0000-4000-8000-000000000012'],
  },
  meaning: {
    // With a command that the user ran in the chat.
    [numbered('d', 1)]: {
      typed: ['Look at the cart\nand tell me', 'A prompt so long that it has a blob of its own'],
      failed: ['call_fail', 'call_no', 'user-1/9'],
    },
  },
  lacks: { tokens: 'it stores no token counts', branches: 'only the newest branch is read' },
  overrides: [
    { env: (_io, root) => ({ CURSOR_CONFIG_DIR: root }), move: ['.cursor', '.'] },
    { env: (_io, root) => ({ XDG_CONFIG_HOME: root }), move: ['.cursor', 'cursor'] },
  ],
  lines: { session: numbered('d', 6), unknown: '{"role":"from-the-future","message":{"content":[]}}' },
  openTransaction: (io) => {
    const database = openDatabase(join(io.home, '.cursor/chats', SHOP, numbered('c', 1), 'store.db'))
    database.exec("BEGIN IMMEDIATE; UPDATE meta SET value = '00'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})

function world(fixture: string): Io {
  return scratchIo(new URL(fixture, fixtures).pathname)
}

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((head) => head.native_id === native)!
}

function body(io: Io, native: string): IonEvent[] {
  return readAll(agent, headOf(io, native), io).events.slice(1)
}

const at = (ms: number): string => new Date(ms).toISOString()
const said = (text: string): unknown[] => [{ type: 'text', text }]

/** Expected events in order: each follows the previous one, at a guessed time unless one is given. */
function inRow(native: string, start: number, events: readonly Record<string, unknown>[]): unknown[] {
  let time = start
  return events.map(({ ms, ...event }, index) => {
    if (typeof ms === 'number') time = ms
    return {
      seq: index + 1,
      parent_id: index === 0 ? `${native}:start` : events[index - 1]!.id,
      timestamp: at(time),
      ...(typeof ms === 'number' ? {} : { timestamp_guessed: true }),
      ...event,
    }
  })
}

test('a chat with a tool call, its head and how it is resumed', () => {
  const io = world('handmade-store')
  const native = numbered('c', 2)
  const head = headOf(io, native)
  expect(head).toEqual({
    id: native,
    agent: 'cursor',
    native_id: native,
    path: join(io.home, '.cursor/chats', SHOP, native, 'store.db'),
    title: 'List sources',
    cwd: '/home/dev4/projects/shop',
    created_at: at(1794700000000),
    updated_at: at(1794700060000),
    model: 'auto',
    bytes: 20480,
    revision: '07676e93d6260f365223a600f56062ad6090a7409e654a3f6f5332f79caa6488',
    agent_version: null,
    format: 'store',
    resumable: true,
  })
  expect(agent.resumeCommand(head)).toEqual([
    'cursor-agent',
    '--resume',
    native,
    '--workspace',
    '/home/dev4/projects/shop',
  ])
  expect(body(io, native)).toEqual(
    inRow(native, 1794700000000, [
      { type: 'user', id: 'u1', content: 'List the sources' },
      { type: 'assistant', id: 'u1/1', content: said('Let me look.') },
      {
        type: 'tool_use',
        id: 'call_1',
        name: 'shell',
        input: { command: 'ls src', working_directory: '/home/dev4/projects/shop' },
      },
      {
        type: 'tool_result',
        id: 'call_1:result',
        tool_use_id: 'call_1',
        content: 'cart.js\ncatalog.js\nindex.js\n',
        is_error: false,
      },
      { type: 'assistant', id: 'u1/3', content: said('Three files.') },
    ]),
  )
})

test('a chat killed during a tool call has the call without a result, and its prompt as title', () => {
  const io = world('handmade-store')
  expect(headOf(io, numbered('c', 5)).title).toBe('Killed while the tool ran')
  expect(body(io, numbered('c', 5)).map((event) => event.type)).toEqual(['user', 'assistant', 'tool_use'])
})

test('every kind of record, in a store whose data is still in the WAL', () => {
  const io = world('handmade-rich')
  const native = numbered('d', 1)
  const t = 1794800000000
  const shell = (command: string): object => ({
    name: 'shell',
    input: { command, working_directory: '/home/dev/shop' },
  })
  const head = headOf(io, native)
  expect(head).toMatchObject({ title: 'Look at the cart', model: 'composer-1', git: { branch: 'main' } })
  const reading = readContext(io)
  const { events, problems } = readAll(agent, head, io, reading)
  expect(problems).toEqual([])
  expect(events.slice(1)).toEqual(
    inRow(native, t, [
      {
        type: 'compaction',
        id: 'summary-d9311fba675d5888',
        summary: 'Before that: the repository was made.',
        replaces: [],
      },
      { type: 'compaction', id: 'summary-5bc96ff65f7c99bf', summary: 'Earlier: the shop was set up.', replaces: [] },
      { type: 'user', id: 'user-1', ms: t + 1000, content: 'Look at the cart\nand tell me' },
      { type: 'system', id: 'user-1.1', ms: t + 1000, subtype: 'selected_context', content: { 1: 'cart.ts' } },
      { type: 'thinking', id: 'user-1/1', content: 'The cart first.' },
      { type: 'assistant', id: 'user-1/2', ms: t + 2000, content: said('I will look.') },
      {
        type: 'tool_use',
        id: 'call_ok',
        name: 'shell',
        input: { command: 'ls', working_directory: '/home/dev/shop', 3: 30000 },
      },
      {
        type: 'tool_result',
        id: 'call_ok:result',
        tool_use_id: 'call_ok',
        content: 'cart.ts\nwarning\n',
        is_error: false,
      },
      { type: 'tool_use', id: 'call_fail', ...shell('false') },
      {
        type: 'tool_result',
        id: 'call_fail:result',
        tool_use_id: 'call_fail',
        content: 'exit code 1',
        is_error: true,
      },
      { type: 'tool_use', id: 'call_no', ...shell('rm -rf /') },
      {
        type: 'tool_result',
        id: 'call_no:result',
        tool_use_id: 'call_no',
        content: '{"4":{"1":"rm -rf /","2":"/home/dev/shop","4":"not allowed"}}',
        is_error: true,
      },
      { type: 'tool_use', id: 'call_open', ...shell('sleep 60') },
      // The step has no result, but the model's messages do.
      { type: 'tool_use', id: 'call_late', ...shell('date') },
      {
        type: 'tool_result',
        id: 'call_late:result',
        tool_use_id: 'call_late',
        content: 'known to the model only',
        is_error: false,
      },
      // The model's messages name the arguments.
      { type: 'tool_use', id: 'call_read', name: 'read', input: { path: 'cart.ts' } },
      {
        type: 'tool_result',
        id: 'call_read:result',
        tool_use_id: 'call_read',
        content: 'export const cart = []',
        is_error: false,
      },
      // They lack this call: its fields are kept by number.
      { type: 'tool_use', id: 'user-1/9', name: 'grep', input: { pattern: 'cart', path: 'src', type: 3 } },
      {
        type: 'tool_result',
        id: 'user-1/9:result',
        tool_use_id: 'user-1/9',
        content: '{"2":{"1":"no such folder"}}',
        is_error: true,
      },
      { type: 'tool_use', id: 'user-1/10', name: 'tool-99', input: { 1: 'x', 2: { 1: 7, 2: 'deep' } } },
      {
        type: 'tool_result',
        id: 'user-1/10:result',
        tool_use_id: 'user-1/10',
        content: '{"1":{"1":{"base64":"//4="}}}',
        is_error: false,
      },
      { type: 'native', id: 'user-1/11', record: { step: { 7: { 1: 'a step of tomorrow' } } } },
      { type: 'system', id: 'turn-2', subtype: 'local_command', content: 'git status' },
      { type: 'system', id: 'turn-2.1', subtype: 'local_command_output', content: { 1: 'clean\n', 3: 0 } },
      { type: 'user', id: 'user-2', content: 'A prompt so long that it has a blob of its own' },
      { type: 'assistant', id: 'user-2/1', content: said('Read.') },
      { type: 'system', id: 'user-3', subtype: 'simulated', content: 'Go on with the plan' },
      { type: 'assistant', id: 'user-3/1', content: said('Going on.') },
      { type: 'native', id: 'turn-5', record: { turn: { 9: { 1: 'a turn of tomorrow' } } } },
      { type: 'native', id: 'sub-agent-sub-1', record: { 'sub-agent': { 1: 'sub-1', 2: { 2: 5 } } } },
    ]),
  )
  expect(reading.coverage).toEqual({ known: 18, skipped: 0, native: 3, bad: 0 })
})

test("without turns the model's messages are read; without a description the folder is found by its hash", () => {
  const io = world('handmade-rich')
  const native = numbered('d', 2)
  expect(headOf(io, native)).toMatchObject({ title: 'Only the model’s side', cwd: '/home/dev/shop' })
  expect(body(io, native)).toEqual(
    inRow(native, 1794800000000, [
      { type: 'system', id: 'message-1', subtype: 'system_prompt', content: '(system prompt)' },
      { type: 'compaction', id: 'message-2', summary: 'Summary:\n1. The shop', replaces: [] },
      { type: 'system', id: 'message-3', subtype: 'context', content: '<user_info>\nOS: linux\n</user_info>' },
      { type: 'system', id: 'message-3.1', subtype: 'context', content: '<open_files>\na.ts\n</open_files>' },
      { type: 'user', id: 'message-3.2', content: 'List the sources' },
      { type: 'thinking', id: '1', content: 'A list.' },
      { type: 'system', id: '1.1', subtype: 'redacted_thinking', content: null },
      { type: 'assistant', id: '1.2', content: said('Let me look.') },
      { type: 'tool_use', id: 'call_1', name: 'Shell', input: { command: 'ls' } },
      { type: 'native', id: '1.4', record: { type: 'hologram', depth: 3 } },
      {
        type: 'tool_result',
        id: 'message-5',
        tool_use_id: 'call_1',
        content: '{"stdout":"a.ts"}',
        is_error: true,
      },
      { type: 'native', id: 'message-6', record: { role: 'oracle', content: [] } },
    ]),
  )
})

test('a blob that is too large is reported without being read', () => {
  const io = world('handmade-rich')
  const head = headOf(io, numbered('d', 3))
  const intact = readAll(agent, head, io).events
  const database = openDatabase(head.path)
  const ids = database.prepare('SELECT id FROM blobs').all() as { id: string }[]
  const kept = intact.find(({ type }) => type === 'assistant')!
  for (const { id } of ids) {
    database.exec(`UPDATE blobs SET data = data || zeroblob(34000000)
      WHERE id = '${id}' AND instr(data, CAST('kept answer' AS BLOB)) > 0`)
  }
  database.close()
  const { events, problems } = readAll(agent, head, io)
  expect(problems.filter(({ code }) => code === 'too_large')).toHaveLength(1)
  expect(events.map(({ id }) => id)).toEqual(intact.map(({ id }) => id).filter((id) => id !== kept.id))
})

test('missing blobs are reported and lose only their own content', () => {
  const io = world('handmade-rich')
  const native = numbered('d', 3)
  const head = headOf(io, native)
  const reading = readContext(io)
  const { events, problems } = readAll(agent, head, io, reading)
  expect(problems).toEqual([
    { code: 'missing', problem: 'step 1 of turn-1 (blob ae5fbe718364…) is missing', path: head.path },
    { code: 'missing', problem: 'turn-2 (blob ad01de6a1baf…) is missing', path: head.path },
  ])
  expect(events.slice(1)).toEqual(
    inRow(native, 1794800000000, [
      { type: 'user', id: 'user-1', content: 'First' },
      { type: 'assistant', id: 'user-1/2', content: said('kept answer') },
      { type: 'user', id: 'user-3', content: 'Third' },
      { type: 'assistant', id: 'user-3/1', content: said('Third answer') },
    ]),
  )
  expect(reading.coverage).toEqual({ known: 4, skipped: 0, native: 0, bad: 2 })
})

test('sub-agents know their parent; editors’ sessions and transcripts cannot be resumed', () => {
  const io = world('handmade-rich')
  const facts = listAll(agent, io).heads.map((head) => [
    head.native_id.slice(0, 8),
    head.format,
    head.resumable,
    head.title,
    head.cwd,
    head.parent_session,
    head.spawned_by,
  ])
  expect(facts).toEqual([
    ['d0000001', 'store', true, 'Look at the cart', '/home/dev/shop', undefined, undefined],
    ['d0000002', 'store', true, 'Only the model’s side', '/home/dev/shop', undefined, undefined],
    ['d0000003', 'store', true, 'With holes', '/home/dev/shop', undefined, undefined],
    ['d0000004', 'store', false, 'Count the files', '/home/dev/shop', numbered('d', 1), 'call_task'],
    ['d0000005', 'store', false, 'In the editor', '/home/dev/shop', undefined, undefined],
    ['d0000006', 'transcript-jsonl', false, 'Only a transcript is left', '/home/dev/shop', undefined, undefined],
    ['d0000007', 'transcript-jsonl', false, 'Count the files', null, numbered('d', 6), undefined],
    ['d0000008', 'transcript-text', false, 'An old transcript', null, undefined, undefined],
  ])
  expect(agent.resumeCommand(headOf(io, numbered('d', 5)))).toBeUndefined()
})

test('a transcript of lines', () => {
  const io = world('handmade-rich')
  const native = numbered('d', 6)
  expect(body(io, native)).toEqual(
    inRow(native, 1794800000000, [
      { type: 'user', id: '@0', content: 'Only a transcript is left' },
      { type: 'system', id: '@120', subtype: 'redacted', content: null },
      { type: 'assistant', id: '@120.1', content: said('I see.') },
      { type: 'tool_use', id: '@120.2', name: 'Shell', input: { command: 'ls' } },
      {
        type: 'system',
        id: '@293',
        subtype: 'api_error',
        content: { type: 'error', message: 'the stream broke' },
      },
      { type: 'assistant', id: '@339', content: said('Done.') },
    ]),
  )
})

test('an older transcript in plain text', () => {
  const io = world('handmade-rich')
  const native = numbered('d', 8)
  // Its only time is that of the file.
  const written = Date.parse(headOf(io, native).updated_at!)
  expect(body(io, native)).toEqual(
    inRow(native, written, [
      { type: 'user', id: '@0', content: 'An old transcript\nof two lines' },
      { type: 'thinking', id: '@65', content: 'About it\nand more' },
      { type: 'tool_use', id: '@65.1', name: 'Shell', input: { text: 'command: ls' } },
      { type: 'tool_result', id: '@65.2', tool_use_id: '@65.1', content: 'a.ts', is_error: false },
      { type: 'assistant', id: '@65.3', content: said('There is one file.') },
      { type: 'user', id: '@187', content: 'Thanks' },
    ]),
  )
})

test('what the SDK 1.1.0 wrote: a store and a transcript of the same three turns', () => {
  const io = world('sdk-1.1.0')
  const inShort = (native: string): unknown[] =>
    body(io, native).map((event) => [
      event.type,
      'content' in event ? event.content : 'input' in event ? event.input : null,
    ])
  const shell = (command: string): unknown => ({
    command,
    working_directory: '/home/dev/shop',
    3: 10000,
    5: command.split(' ')[0],
    8: { 1: 0 },
  })
  expect(inShort('c0000012-0000-4000-8000-000000000012')).toEqual([
    ['user', 'Count the files, please.'],
    ['thinking', 'I list the files first.'],
    ['tool_use', shell('ls')],
    ['tool_result', 'a.txt\nb.txt\n'],
    ['assistant', said('There are two files: a.txt and b.txt.')],
    ['user', 'And what is in missing.txt?'],
    ['thinking', 'I list the files first.'],
    ['tool_use', shell('cat missing.txt')],
    ['tool_result', 'cat: missing.txt: No such file or directory\n'],
    ['assistant', said('There is no missing.txt.')],
    ['user', 'Wait for me.'],
    ['assistant', said('I wait')],
  ])
  expect(inShort('agent-c0000011-0000-4000-8000-000000000011')).toEqual([
    ['user', 'Count the files, please.'],
    ['assistant', said('I list the files first.')],
    ['tool_use', { command: 'ls' }],
    ['assistant', said('There are two files: a.txt and b.txt.')],
    ['user', 'And what is in missing.txt?'],
    ['assistant', said('I list the files first.')],
    ['tool_use', { command: 'cat missing.txt' }],
    ['assistant', said('There is no missing.txt.')],
    ['user', 'Wait for me.'],
    ['assistant', said('I wait')],
    ['system', null],
  ])
})
