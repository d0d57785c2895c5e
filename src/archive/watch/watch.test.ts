import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { until } from '../../../test/support/wait-until.ts'
import { agents } from '../../agents/_registry.ts'
import { findAgent } from '../../agents/find.ts'
import archiveAgent from '../../agents/ion/index.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import { Archive } from '../archive.ts'
import { indexFile } from '../archive-paths.ts'
import { ArchiveWatch, type WatchOptions } from './watch.ts'

// Each test waits several times, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'
const copilotEvents = fileURLToPath(
  new URL(
    '../../agents/copilot/fixtures/1.0.102/.copilot/session-state/bbbbbbbb-2222-4222-8222-222222222222/events.jsonl',
    import.meta.url,
  ),
)
const all = agents.filter((agent) => !agent.isArchive)

/** A watch over an empty home, or over what `prepare` creates in it. It sees everything from then on. */
function watching(prepare: (io: Io) => void = () => {}, options: WatchOptions = {}) {
  const now = vi.fn(() => new Date())
  const io = { ...scratchIo(), now }
  prepare(io)
  const troubles: string[] = []
  const arrivals: string[] = []
  const watch = new ArchiveWatch(
    all,
    io,
    {
      onArrival: ({ agent, added }) => arrivals.push(`${agent.id} ${added}`),
      onTrouble: (message) => troubles.push(message),
    },
    options,
  )
  watch.listen()
  watch.start()
  onTestFinished(() => watch.stop())
  return { io, now, watch, troubles, arrivals }
}

/** The prompts of each archived session, by native id. */
function archived(io: Io): Record<string, string[]> {
  return Object.fromEntries(
    listAll(archiveAgent, io).heads.map((head) => [
      head.native_id,
      readAll(archiveAgent, head, io, readContext(io)).events.flatMap((event) =>
        event.type === 'user' ? [textOf(event.content)] : [],
      ),
    ]),
  )
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('')
}

const soon = (io: Io, expected: Record<string, string[]>): Promise<void> =>
  until(() => expect(archived(io)).toEqual(expected))

const fileOf = (io: Io, id = ID, root = '.claude'): string => join(io.home, root, 'projects/-made', `${id}.jsonl`)

const line = (text: string, id = ID): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `u-${text}`,
    parentUuid: null,
    timestamp: '2026-11-16T10:00:00.000Z',
    sessionId: id,
    cwd: '/home/dev/shop',
    version: '2.1.325',
    message: { role: 'user', content: text },
  })}\n`

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

test('a store that appears later, a session that grows, and a second one', async () => {
  const { io } = watching()
  write(fileOf(io), line('one'))
  await soon(io, { [ID]: ['one'] })
  appendFileSync(fileOf(io), line('two'))
  await soon(io, { [ID]: ['one', 'two'] })
  const other = ID.replace(/^2/, '3')
  write(fileOf(io, other), line('other', other))
  appendFileSync(fileOf(io), line('three'))
  await soon(io, { [ID]: ['one', 'two', 'three'], [other]: ['other'] })
})

test('a session whose folder changes stays one session, also when it is quiet', async () => {
  const { io, watch } = watching()
  write(fileOf(io), line('one'))
  await soon(io, { [ID]: ['one'] })
  write(fileOf(io), `${line('one')}${line('two')}`.replaceAll('/home/dev/shop', '/home/dev/office'))
  await soon(io, { [ID]: ['one', 'two'] })
  watch.stop()
  expect(listAll(archiveAgent, io).heads.map(({ id }) => id)).toEqual([ID])
})

test('a line written in pieces is archived when it is complete', async () => {
  const { io, arrivals } = watching((io) => write(fileOf(io), line('one')))
  const two = line('two')
  appendFileSync(fileOf(io), two.slice(0, 40))
  // Once this other session is archived, the first one was looked at, too.
  const other = ID.replace(/^2/, '3')
  write(fileOf(io, other), line('other', other))
  await soon(io, { [ID]: ['one'], [other]: ['other'] })
  appendFileSync(fileOf(io), two.slice(40))
  await soon(io, { [ID]: ['one', 'two'], [other]: ['other'] })
  expect(arrivals.filter((arrival) => arrival === 'claude 1')).toHaveLength(1)
})

test.each<[string, (io: Io) => void, string[]]>([
  [
    'another file replaces it',
    (io) => {
      writeFileSync(`${fileOf(io)}.tmp`, line('one') + line('new'))
      renameSync(`${fileOf(io)}.tmp`, fileOf(io))
    },
    ['one', 'two', 'new'],
  ],
  [
    'it is truncated and continued',
    (io) => truncateAndWrite(fileOf(io), line('one') + line('new')),
    ['one', 'two', 'new'],
  ],
  [
    'it is deleted and created again',
    (io) => {
      rmSync(fileOf(io))
      writeFileSync(fileOf(io), line('new'))
    },
    ['one', 'two', 'new'],
  ],
  [
    'its folder is deleted and created again',
    (io) => {
      rmSync(dirname(fileOf(io)), { recursive: true })
      write(fileOf(io), line('new'))
    },
    ['one', 'two', 'new'],
  ],
  [
    'the whole store is moved away, and another one appears',
    (io) => {
      renameSync(join(io.home, '.claude'), join(io.home, '.claude.old'))
      write(fileOf(io), line('new'))
      // No longer part of the store.
      appendFileSync(fileOf(io, ID, '.claude.old'), line('lost'))
    },
    ['one', 'two', 'new'],
  ],
])('rotation: %s', async (_name, rotate, expected) => {
  const { io } = watching()
  write(fileOf(io), line('one') + line('two'))
  await soon(io, { [ID]: ['one', 'two'] })
  rotate(io)
  await soon(io, { [ID]: expected })
  // It continues as before.
  appendFileSync(fileOf(io), line('more'))
  await soon(io, { [ID]: [...expected, 'more'] })
})

function truncateAndWrite(file: string, text: string): void {
  truncateSync(file)
  appendFileSync(file, text)
}

const databaseOf = (io: Io): string => join(io.home, '.local/share/goose/sessions/sessions.db')

/** A database, open as the agent has it, with a session `s1`. */
function openStore(file: string) {
  mkdirSync(dirname(file), { recursive: true })
  const database = openDatabase(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
      created_timestamp INTEGER, metadata_json TEXT)`)
  const begin = (session: string): void =>
    database.exec(
      `INSERT INTO sessions VALUES ('${session}', 'x', '/home/dev/shop', '2026-11-16 10:00:00', '2026-11-16 10:00:00')`,
    )
  const insert = database.prepare(
    `INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?, ?, 'user', ?, 1794736800)`,
  )
  const say = (text: string, session = 's1'): void => {
    insert.run(`${session} ${text}`, session, JSON.stringify([{ type: 'text', text }]))
  }
  begin('s1')
  return { database, begin, say }
}

test('a database: rows that are only in its WAL, and another database in its place', async () => {
  const { io } = watching()
  const first = openStore(databaseOf(io))
  first.say('one')
  await soon(io, { s1: ['one'] })
  first.say('two')
  await soon(io, { s1: ['one', 'two'] })
  first.database.close()
  const second = openStore(`${databaseOf(io)}.new`)
  second.say('three')
  second.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  second.database.close()
  // Replacing a database includes removing the files that belonged to the first.
  for (const rest of ['-wal', '-shm']) rmSync(databaseOf(io) + rest, { force: true })
  renameSync(`${databaseOf(io)}.new`, databaseOf(io))
  await soon(io, { s1: ['one', 'two', 'three'] })
})

test('a database with several sessions: all grow, one appears later, and an old message is changed', async () => {
  const { io } = watching()
  const { database, begin, say } = openStore(databaseOf(io))
  const texts = Array.from({ length: 40 }, (_, number) => `text ${number}`)
  for (const text of texts) say(text)
  await soon(io, { s1: texts })
  say('more')
  await soon(io, { s1: [...texts, 'more'] })
  begin('s2')
  say('other', 's2')
  await soon(io, { s1: [...texts, 'more'], s2: ['other'] })
  database.exec(`BEGIN;
    UPDATE messages SET content_json = '[{"type":"text","text":"otherwise"}]' WHERE message_id = 's1 text 0';
    UPDATE sessions SET updated_at = '2026-11-16 10:00:01' WHERE id = 's1';
    COMMIT`)
  say('and more')
  say('another', 's2')
  await soon(io, { s1: ['otherwise', ...texts.slice(1), 'more', 'and more'], s2: ['other', 'another'] })
  database.close()
})

test('a session whose folder is created before its files', async () => {
  const { io } = watching()
  const folder = join(io.home, '.copilot/session-state', ID)
  mkdirSync(folder, { recursive: true })
  const other = ID.replace(/^2/, '3')
  write(fileOf(io, other), line('a sign that this was looked at', other))
  await soon(io, { [other]: ['a sign that this was looked at'] })
  copyFileSync(copilotEvents, join(folder, 'events.jsonl'))
  await until(() => expect(Object.keys(archived(io))).toEqual([ID, other]))
})

test('it waits while another process writes to the archive', async () => {
  const { io, now, troubles } = watching((io) => write(fileOf(io), line('one')))
  const other = new Archive(io)
  appendFileSync(fileOf(io), line('two'))
  // Each attempt asks for the time, among others.
  const before = now.mock.calls.length
  await until(() => expect(now.mock.calls.length).toBeGreaterThan(before + 2))
  expect(archived(io)).toEqual({})
  other.close()
  await soon(io, { [ID]: ['one', 'two'] })
  expect(troubles).toEqual([])
})

test('two watches write each event once', async () => {
  const first = watching()
  const second = new ArchiveWatch(all, first.io, { onArrival: () => {}, onTrouble: () => {} })
  second.listen()
  second.start()
  onTestFinished(() => second.stop())
  const said: string[] = []
  for (let number = 0; number < 10; number++) {
    said.push(`number ${number}`)
    if (number === 0) write(fileOf(first.io), line(said[0]!))
    else appendFileSync(fileOf(first.io), line(said[number]!))
    await soon(first.io, { [ID]: said })
  }
})

test('folders that the system does not watch are reported once, and scanned regularly', async () => {
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' })
  }
  const { io, troubles } = watching((io) => write(fileOf(io), line('one')), { watchFolder: full, scanMs: 50 })
  appendFileSync(fileOf(io), line('two'))
  await soon(io, { [ID]: ['one', 'two'] })
  appendFileSync(fileOf(io), line('three'))
  await soon(io, { [ID]: ['one', 'two', 'three'] })
  expect(troubles).toEqual([expect.stringMatching(/^the system cannot watch all folders/)])
})

test('when it stops, the last events are archived and the index is up to date', async () => {
  const { io, watch } = watching()
  write(fileOf(io), line('one'))
  await soon(io, { [ID]: ['one'] })
  appendFileSync(fileOf(io), line('two'))
  watch.stop()
  const [head] = listAll(findAgent('claude'), io).heads
  expect(archived(io)).toEqual({ [ID]: ['one', 'two'] })
  const last = readFileSync(indexFile(io), 'utf8').trim().split('\n').at(-1)!
  expect(JSON.parse(last)).toMatchObject({ id: ID, events: 3, revision: head!.revision })
  const archive = new Archive(io)
  expect(archive.capture(findAgent('claude'), head!)).toMatchObject({ added: 0, unchanged: true })
  archive.close()
})
