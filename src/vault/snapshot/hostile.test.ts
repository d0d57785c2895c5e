import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import type { SnapshotPart, SnapshotSession } from './format.ts'
import { restoreSnapshot, type SnapshotOutcome } from './restore.ts'
import { TarWriter } from './tar-writer.ts'
import { verifySnapshot } from './verify.ts'

/** An agent whose sessions are files, and one whose sessions are rows. */
const fileAgent = agents.find(({ backup }) => backup?.files.config && !backup.tables)!
const rowAgent = agents.find(({ backup }) => backup?.tables?.includes('messages'))!

const ID = '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'
/** A database that belongs to one session, and an agent that has it. */
const DATABASE = `session-state/${ID}/session.db`
const databaseAgent = agents.find(({ id, backup }) => backup?.files[id]?.some((pattern) => pattern.test(DATABASE)))!
const GOOD = `projects/-made/${ID}.jsonl`

type Forged = Partial<Omit<SnapshotSession, 'parts'>> & {
  readonly parts: readonly (Partial<SnapshotPart> & { readonly path: string; readonly text?: string })[]
}

interface Change {
  readonly header?: object
  /** Names of entries, where they differ from the manifest. */
  readonly nameOf?: (name: string) => string
  readonly manifest?: (lines: string[]) => string[]
  /** What the manifest says about a part, where it is wrong. */
  readonly listed?: Partial<SnapshotPart>
}

/** A snapshot as an attacker might write it. */
function forge(io: Io, sessions: readonly Forged[], change: Change = {}): string {
  const file = join(io.home, '..', 'forged.tar.gz')
  const writer = new TarWriter(file, io.now())
  const add = (name: string, text: string): void => writer.add(name, Buffer.byteLength(text), [Buffer.from(text)])
  const header = {
    format: 'ion-snapshot',
    v: 1,
    created_at: '',
    home: io.home,
    platform: '',
    ion_version: '',
    agents: [],
  }
  add('ion-snapshot.json', JSON.stringify({ ...header, ...change.header }))
  const lines = sessions.map(({ parts, ...rest }) => {
    const session = { agent: fileAgent.id, id: ID, native_id: ID, title: null, cwd: null, ...rest }
    const listed = parts.map(({ text = 'hello\n', ...part }) => {
      const whole = { kind: 'file', root: 'config', form: 'lines', mode: 0o600, ...part }
      const [kind, end] = whole.kind === 'file' ? ['files', ''] : ['rows', '.jsonl']
      const name = `${session.agent}/${session.id}/${kind}/${whole.root}/${whole.path}${end}`
      add(change.nameOf?.(name) ?? name, text)
      return { size: Buffer.byteLength(text), sha256: sha(text), ...whole, ...change.listed }
    })
    return JSON.stringify({ created_at: null, updated_at: null, agent_version: null, ...session, parts: listed })
  })
  const all = [
    ...lines,
    JSON.stringify({ end: true, sessions: lines.length, sha256: sha(lines.map((line) => `${line}\n`).join('')) }),
  ]
  add('manifest.jsonl', (change.manifest?.(all) ?? all).map((line) => `${line}\n`).join(''))
  writer.finish(true)
  return file
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function restored(file: string, io: Io): Promise<SnapshotOutcome[]> {
  const verified = await verifySnapshot(file)
  const outcomes: SnapshotOutcome[] = []
  const request = { file, verified, sessions: verified.sessions, to: io, home: io.home, spool: scratchFolder() }
  for await (const outcome of restoreSnapshot(request)) outcomes.push(outcome)
  return outcomes
}

test('a valid snapshot is restored, with safe permissions', async () => {
  const io = scratchIo()
  const outcomes = await restored(forge(io, [{ parts: [{ path: GOOD, mode: 0o666 }] }]), io)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['restored'])
  expect(filesBelow(io.home)).toEqual([join(io.home, '.claude', GOOD)])
})

const good: Forged = { parts: [{ path: GOOD }] }

test.each<[name: string, sessions: readonly Forged[], change: Change, words: string]>([
  ['a path outside', [{ parts: [{ path: '../../.ssh/authorized_keys' }] }], {}, 'unsafe path'],
  ['a path outside that starts inside', [{ parts: [{ path: `projects/x/../../${ID}.jsonl` }] }], {}, 'unsafe path'],
  ['an absolute path', [{ parts: [{ path: '/etc/passwd' }] }], {}, 'unsafe path'],
  ['settings', [{ parts: [{ path: 'settings.json' }] }], {}, 'not part of a session'],
  ['an unknown root', [{ parts: [{ path: GOOD, root: 'home' }] }], {}, 'not part of a session'],
  ['an agent that is a path', [{ ...good, agent: 'x/y' }], {}, 'is invalid'],
  ['an id that is a path', [{ ...good, id: '..' }], {}, 'unsafe path'],
  ['a part twice', [{ parts: [{ path: GOOD }, { path: GOOD }] }], {}, 'appears twice'],
  ['another name in the tar', [good], { nameOf: (name) => `${name}x` }, 'not where the manifest lists it'],
  ['a wrong checksum', [good], { listed: { sha256: sha('other') } }, 'its checksum does not match'],
  ['a wrong size', [good], { listed: { size: 1 } }, 'its checksum does not match'],
  ['a huge size', [good], { listed: { size: -1 } }, 'is invalid'],
  ['unusual permissions', [good], { listed: { mode: 0o4755 } }, 'is invalid'],
  [
    'no manifest line of it',
    [good],
    { manifest: (lines) => lines.slice(1) },
    'manifest has changed since it was written',
  ],
  ['a manifest without end', [good], { manifest: (lines) => lines.slice(0, 1) }, 'its manifest has no end'],
  ['a manifest that is no JSON', [good], { manifest: () => ['{'] }, 'a line is not JSON'],
  ['the id of another session', [{ ...good, native_id: 'other' }], {}, 'is not the id of the session "other"'],
  [
    'a database that is none',
    [{ agent: databaseAgent.id, parts: [{ root: databaseAgent.id, path: DATABASE, form: 'database' }] }],
    {},
    'is not a database',
  ],
  ['a newer version', [good], { header: { v: 2 } }, 'written by a newer version of Ion'],
  ['something else', [good], { header: { format: 'x' } }, 'not an Ion snapshot'],
])('%s is refused, and nothing is written', async (_name, sessions, change, words) => {
  const io = scratchIo()
  await expect(restored(forge(io, sessions, change), io)).rejects.toThrow(words)
  expect(filesBelow(io.home)).toEqual([])
})

const COLUMNS = ['id', 'name', 'working_dir']
const SCHEMA = ['CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT NOT NULL)']
const withSchema = (...schema: readonly string[]): Forged => rows(header([session], { schema }), '[0,"s","n","/"]')
const header = (tables: unknown, more: object = {}): string =>
  JSON.stringify({ v: 1, schema: SCHEMA, tables, bookkeeping: [], ...more })
const session = { table: 'sessions', where: { id: 's' }, columns: COLUMNS }

function rows(...lines: readonly string[]): Forged {
  const text = lines.map((line) => `${line}\n`).join('')
  return { agent: rowAgent.id, parts: [{ kind: 'rows', root: 'sessions', path: 'sessions.db', text }] }
}

test.each<[name: string, forged: Forged, words: string]>([
  ['another table', rows(header([{ ...session, table: 'tokens' }])), 'sessions of this agent have no rows'],
  ['no session', rows(header([{ ...session, where: {} }])), 'without a session'],
  ['a session by a column that is not there', rows(header([{ ...session, where: { x: 1 } }])), 'without a session'],
  ['a row of another session', rows(header([session]), '[0,"other","n","/"]'), 'belongs to another session'],
  ['a row too short', rows(header([session]), '[0,"s"]'), 'a row of an unknown table'],
  ['a row of no table', rows(header([session]), '[7,"s","n","/"]'), 'a row of an unknown table'],
  ['an invalid value', rows(header([session]), '[0,"s",{"x":1},"/"]'), 'not an encoded value'],
  [
    'credentials as bookkeeping',
    rows(header([session], { bookkeeping: [{ table: 'auth_kv', columns: ['k'] }] })),
    'does not belong in a snapshot',
  ],
  ['a table that the schema lacks', withSchema('CREATE TABLE x (a)'), 'has no table "sessions"'],
  ['other columns than the schema has', withSchema('CREATE TABLE sessions (id TEXT)'), 'are not those of its schema'],
  ['no schema', withSchema(), 'has no table "sessions"'],
  [
    'a trigger',
    withSchema(...SCHEMA, 'CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM sessions; END'),
    'neither a table nor an index',
  ],
  ['a view', withSchema(...SCHEMA, 'CREATE VIEW v AS SELECT * FROM sessions'), 'neither a table nor an index'],
  ['a virtual table', withSchema(...SCHEMA, 'CREATE VIRTUAL TABLE f USING fts5(a)'), 'neither a table nor an index'],
  ['a table of another database', withSchema(...SCHEMA, 'CREATE TABLE temp.x (a)'), 'neither a table nor an index'],
  [
    'a table that is filled for ever',
    withSchema(
      ...SCHEMA,
      'CREATE TABLE x AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n',
    ),
    'neither a table nor an index',
  ],
  ['a schema that is not SQL', withSchema(...SCHEMA, 'CREATE TABLE x (('), 'the schema is invalid'],
  ['a table twice', withSchema(...SCHEMA, ...SCHEMA), 'the schema is invalid'],
  ['a row twice', rows(header([session]), '[0,"s","n","/"]', '[0,"s","n","/"]'), 'the database does not accept'],
  ['a row without a required value', rows(header([session]), '[0,"s","n",null]'), 'the database does not accept'],
  ['the same rows twice', rows(header([session, session]), '[0,"s","n","/"]'), 'appear twice'],
  ['a session by a value that is not one', rows(header([{ ...session, where: { id: ['s'] } }])), 'no valid header'],
  ['a numbered column that is not there', rows(header([{ ...session, numbered: 'n' }])), 'no valid header'],
  ['a row of a table by its name', rows(header([session]), '["length","s","n","/"]'), 'a row of an unknown table'],
  ['no header', rows('[]'), 'unknown format version'],
  ['an incomplete line', { ...rows(), parts: [{ ...rows().parts[0]!, text: '{' }] }, 'incomplete'],
  [
    'the entire database',
    { agent: rowAgent.id, parts: [{ root: 'sessions', path: 'sessions.db' }] },
    'an entire database',
  ],
])('rows: %s is refused, and nothing is written', async (_name, forged, words) => {
  const io = scratchIo()
  await expect(restored(forge(io, [forged]), io)).rejects.toThrow(words)
  expect(filesBelow(io.home)).toEqual([])
})

test('valid rows are added beside others and never overwrite them', async () => {
  const io = scratchIo()
  const folder = rowAgent.backup!.roots(io).sessions!
  mkdirSync(folder, { recursive: true })
  const database = openDatabase(join(folder, 'sessions.db'))
  database.exec(
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT NOT NULL); INSERT INTO sessions VALUES ('o', 'mine', '/')",
  )
  const names = (): unknown[] =>
    database
      .prepare('SELECT id, name FROM sessions')
      .all()
      .map((row) => Object.values(row as object))
  const file = forge(io, [rows(header([session]), '[0,"s","theirs","/"]')])
  expect((await restored(file, io)).map(({ outcome }) => outcome)).toEqual(['restored'])
  expect(names()).toEqual([
    ['o', 'mine'],
    ['s', 'theirs'],
  ])
  database.exec("UPDATE sessions SET name = 'mine now' WHERE id = 's'")
  expect((await restored(file, io)).map(({ outcome }) => outcome)).toEqual(['refused'])
  expect(names()).toEqual([
    ['o', 'mine'],
    ['s', 'mine now'],
  ])
  database.close()
})

test('an unknown agent fails alone, and the others are restored', async () => {
  const io = scratchIo()
  const other: Forged = { agent: 'robot', parts: [{ path: 'x' }] }
  const outcomes = await restored(forge(io, [other, good]), io)
  expect(outcomes.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['failed', 'unknown agent "robot"'],
    ['restored', undefined],
  ])
})

test('a different existing file is left alone', async () => {
  const io = scratchIo()
  const path = join(io.home, '.claude', GOOD)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'newer\n')
  const outcomes = await restored(forge(io, [good]), io)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused'])
})
