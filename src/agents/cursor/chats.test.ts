import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { ChatBlobs, type MadeChat, writeChat } from './test/make-chat.ts'
import { message } from './write-message.ts'

const STORES = new URL('./fixtures/handmade-store', import.meta.url).pathname
const RICH = new URL('./fixtures/handmade-rich', import.meta.url).pathname
const ID = 'e0000001-0000-4000-8000-000000000001'
const HERE = 'chats/0123456789abcdef0123456789abcdef'

/** A chat of one turn: a prompt and an answer. */
function smallChat(prompt: string, more: Partial<MadeChat> = {}): MadeChat {
  const blobs = new ChatBlobs()
  const turn = blobs.turn(message([1, prompt], [2, 'user-1']), message([1, message([1, 'Yes.'])]))
  const root = blobs.add(message([8, turn])).toString('hex')
  return { blobs, root, description: { cwd: '/home/dev/shop', createdAtMs: 1794800000000 }, ...more }
}

function chatFolder(io: Io, place: string, id: string = ID): string {
  return join(io.home, '.cursor', place, id)
}

function writeTranscript(io: Io, project: string, text: string, place: string = join(ID, `${ID}.jsonl`)): string {
  const path = join(io.home, '.cursor/projects', project, 'agent-transcripts', place)
  mkdirSync(dirname(path), { recursive: true })
  const line = { role: 'user', message: { content: [{ type: 'text', text: `<user_query>\n${text}\n</user_query>` }] } }
  writeFileSync(path, `${JSON.stringify(line)}\n`)
  return path
}

/** Each session in short, and the texts of the problems. */
function listed(io: Io): { heads: unknown[]; problems: string[] } {
  const { heads, problems } = listAll(agent, io)
  return {
    heads: heads.map((head) => [head.native_id, head.format, head.title, head.resumable]),
    problems: problems.map(({ problem }) => problem),
  }
}

test('a chat that has a store and a transcript is one session, from the store', () => {
  const io = scratchIo()
  writeChat(chatFolder(io, HERE), smallChat('In the store'))
  writeTranscript(io, 'home-dev-shop', 'In the transcript')
  expect(listed(io)).toEqual({ heads: [[ID, 'store', 'In the store', true]], problems: [] })
})

test('a damaged store is reported, and the transcript replaces it', () => {
  const io = scratchIo()
  const folder = chatFolder(io, HERE)
  writeChat(folder, smallChat('In the store'))
  writeFileSync(join(folder, 'store.db'), 'this is no database, and it is long enough to be looked at'.repeat(20))
  expect(listed(io)).toEqual({
    heads: [],
    problems: ['cannot open the database: file is not a database (the file is damaged)'],
  })
  writeTranscript(io, 'home-dev-shop', 'In the transcript')
  expect(listed(io)).toEqual({
    heads: [[ID, 'transcript-jsonl', 'In the transcript', false]],
    problems: ['cannot open the database: file is not a database (the file is damaged)'],
  })
  expect(listAll(agent, io).heads[0]).toMatchObject({ cwd: '/home/dev/shop', created_at: '2026-11-16T03:33:20.000Z' })
})

test('a store without its root is listed and reported, and the transcript replaces it where there is one', () => {
  const io = scratchIo()
  const chat = smallChat('In the store', { meta: { name: 'Named' } })
  chat.blobs.all.delete(chat.root)
  writeChat(chatFolder(io, HERE), chat)
  const problem = `the root of the chat (blob ${chat.root.slice(0, 12)}…) is missing`
  expect(listed(io)).toEqual({ heads: [[ID, 'store', 'Named', false]], problems: [] })
  const [head] = listAll(agent, io).heads
  const reading = readContext(io)
  const read = readAll(agent, head!, io, reading)
  expect(read.problems).toEqual([{ code: 'missing', problem, path: head!.path }])
  expect(read.events.length).toBe(1)
  expect(reading.coverage.bad).toBe(1)
  writeTranscript(io, 'home-dev-shop', 'In the transcript')
  expect(listed(io)).toEqual({
    heads: [[ID, 'transcript-jsonl', 'In the transcript', false]],
    problems: [problem],
  })
})

test('a chat that was never used is not a session', () => {
  const io = scratchIo()
  writeChat(chatFolder(io, HERE), smallChat('', { blobs: new ChatBlobs(), root: '' }))
  expect(listed(io)).toEqual({ heads: [], problems: [] })
})

test('a store with an unknown schema is reported', () => {
  const io = scratchIo()
  const store = join(chatFolder(io, HERE), 'store.db')
  writeChat(dirname(store), smallChat('In the store'))
  const change = (sql: string): void => {
    const database = openDatabase(store)
    database.exec(sql)
    database.close()
  }
  change("UPDATE meta SET value = 'not hexadecimal'")
  expect(listed(io).problems).toEqual(['cannot read the database: the description of the chat is not JSON'])
  change('DROP TABLE meta')
  // Not retryable: a chat that was killed at its creation would block all others.
  expect(listAll(agent, io).problems).toEqual([
    {
      code: 'unknown_format',
      problem: 'cannot read the database: not a Cursor chat: no tables "meta" and "blobs"',
      path: store,
    },
  ])
})

test('what cannot be decoded loses only its own content', () => {
  const io = scratchIo()
  const blobs = new ChatBlobs()
  const torn = Buffer.from([0x0a, 0x7f, 0x41])
  const turns = [
    // A turn, a prompt and a step that are not messages; an invalid tool call; a step with a text instead of a number.
    blobs.add(torn),
    blobs.add(message([1, torn])),
    blobs.turn(torn, torn, message([2, torn]), message([1, 7]), message([1, message([1, 'Still here.'])])),
  ]
  const root = blobs.add(message(...turns.map((turn) => [8, turn] as const))).toString('hex')
  writeChat(chatFolder(io, HERE), smallChat('', { blobs, root }))
  const [head] = listAll(agent, io).heads
  const reading = readContext(io)
  const { events, problems } = readAll(agent, head!, io, reading)
  expect(problems.map(({ problem }) => problem.replace(/ \(blob .*?\)/, ''))).toEqual([
    'turn-1 cannot be decoded: a field is cut off',
    'turn-2 cannot be decoded: a field is cut off',
    'the prompt of turn-3 cannot be decoded: a field is cut off',
    'step 1 of turn-3 cannot be decoded: a field is cut off',
  ])
  expect(events.slice(1).map(({ seq: _seq, parent_id: _parent, timestamp: _time, ...event }) => event)).toEqual([
    { type: 'native', id: 'request/2', timestamp_guessed: true, record: { step: { 2: '\n\x7fA' } } },
    { type: 'native', id: 'request/3', timestamp_guessed: true, record: { step: { 1: 7 } } },
    { type: 'assistant', id: 'request/4', timestamp_guessed: true, content: [{ type: 'text', text: 'Still here.' }] },
  ])
  expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 2, bad: 4 })
})

test('the key in the store is never used or shown', () => {
  const io = scratchIo(RICH)
  const { heads, problems } = listAll(agent, io)
  const all = JSON.stringify([heads, problems, heads.map((head) => readAll(agent, head, io).items)])
  expect(all).toContain('I will look.')
  expect(all).not.toContain('feedfeed')
  expect(all).not.toContain(Buffer.from('feedfeed').toString('hex'))
  expect(all).not.toContain('blobEncryptionKey')
})

test('the same chat in two folders: both are listed, the second under its folder, and each resumes in its own', () => {
  const io = scratchIo()
  writeChat(chatFolder(io, 'chats/aaaa'), smallChat('Here'))
  writeChat(chatFolder(io, 'chats/bbbb'), smallChat('There', { description: { cwd: '/home/dev/other' } }))
  expect(listed(io)).toEqual({
    heads: [
      [`bbbb/${ID}`, 'store', 'There', true],
      [ID, 'store', 'Here', true],
    ],
    problems: [],
  })
  const [second] = listAll(agent, io).heads
  expect(second!.id).toBe(sessionId('cursor', `bbbb/${ID}`))
  expect(agent.resumeCommand(second!)).toEqual(['cursor-agent', '--resume', ID, '--workspace', '/home/dev/other'])
})

test('two transcripts of one chat are both listed', () => {
  const io = scratchIo()
  writeTranscript(io, 'home-dev-other', 'There')
  writeTranscript(io, 'home-dev-shop', 'Here')
  expect(listed(io).heads).toEqual([
    [ID, 'transcript-jsonl', 'There', false],
    [`home-dev-shop/${ID}`, 'transcript-jsonl', 'Here', false],
  ])
})

test("a store whose transcript is in the sub-agents' folder of another chat has that chat as parent", () => {
  const io = scratchIo()
  const parent = 'e0000002-0000-4000-8000-000000000002'
  writeChat(chatFolder(io, HERE), smallChat('Count the files'))
  writeTranscript(io, 'home-dev-shop', 'Count the files', join(parent, 'subagents', `${ID}.jsonl`))
  expect(listAll(agent, io).heads).toMatchObject([{ native_id: ID, parent_session: parent, resumable: false }])
})

test('changes by a running cursor-agent are seen', () => {
  const io = scratchIo()
  const folder = chatFolder(io, HERE)
  const before = smallChat('First')
  writeChat(folder, before)
  const first = listAll(agent, io).heads[0]!
  const after = smallChat('First, and more')
  const writer = openDatabase(join(folder, 'store.db'))
  try {
    writer.exec('PRAGMA wal_autocheckpoint = 0')
    const insert = writer.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)')
    for (const [id, data] of after.blobs.all) insert.run(id, data)
    const meta = Buffer.from(JSON.stringify({ latestRootBlobId: after.root, name: 'New Agent' })).toString('hex')
    writer.prepare('UPDATE meta SET value = ?').run(meta)
    const second = listAll(agent, io).heads[0]!
    expect(second.title).toBe('First, and more')
    expect(second.revision).not.toBe(first.revision)
    // The old root still exists and is not read.
    expect(readAll(agent, second, io).events.map((event) => event.type)).toEqual(['session_start', 'user', 'assistant'])
  } finally {
    writer.close()
  }
})

test('CURSOR_DATA_DIR moves the transcripts', () => {
  const io = scratchIo(RICH)
  const root = scratchFolder()
  renameSync(join(io.home, '.cursor/projects'), join(root, 'projects'))
  expect(listAll(agent, io).heads.length).toBe(5)
  expect(listAll(agent, { ...io, env: { ...io.env, CURSOR_DATA_DIR: root } }).heads.length).toBe(8)
})

test('chats from before a variable was set are listed; only those of the active root can be resumed', () => {
  const io = scratchIo(STORES)
  const root = scratchFolder()
  cpSync(join(RICH, '.cursor'), join(root, 'cursor'), { recursive: true })
  const { heads } = listAll(agent, { ...io, env: { ...io.env, XDG_CONFIG_HOME: root } })
  expect(heads.length).toBe(13)
  expect(heads.filter((head) => head.resumable).map((head) => head.native_id.slice(0, 8))).toEqual([
    'd0000001',
    'd0000002',
    'd0000003',
  ])
})

test("without a readable description the store's own values are used", () => {
  const io = scratchIo()
  const folder = chatFolder(io, HERE)
  writeChat(folder, smallChat('In the store', { meta: { createdAt: 1794800000000, lastUsedModel: 'composer-1' } }))
  for (const spoil of [
    () => writeFileSync(join(folder, 'meta.json'), '{"cwd":'),
    () => rmSync(join(folder, 'meta.json')),
  ]) {
    spoil()
    const [head] = listAll(agent, io).heads
    expect(head).toMatchObject({ cwd: null, created_at: '2026-11-16T03:33:20.000Z', model: 'composer-1' })
    // Without the folder there is no safe way to resume it.
    expect(agent.resumeCommand(head!)).toBeUndefined()
  }
})
