import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import type { SnapshotPart, SnapshotSession } from './format.ts'
import { type Outcome, restoreSnapshot } from './restore.ts'
import { TarWriter } from './tar-writer.ts'
import { verifySnapshot } from './verify.ts'

/** One whose sessions are files, and one whose sessions are rows; the tests need their walls. */
const ofFiles = agents.find(({ backup: keep }) => keep?.files.config && !keep.tables)!
const ofRows = agents.find(({ backup: keep }) => keep?.tables?.includes('messages'))!

const ID = '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'
const GOOD = `projects/-made/${ID}.jsonl`

type Forged = Partial<Omit<SnapshotSession, 'parts'>> & {
  readonly parts: readonly (Partial<SnapshotPart> & { readonly path: string; readonly text?: string })[]
}

interface Change {
  readonly header?: object
  /** Names of entries, where they are others than the manifest says. */
  readonly nameOf?: (name: string) => string
  readonly manifest?: (lines: string[]) => string[]
  /** What stands in the manifest of a part, where it is something else than is there. */
  readonly told?: Partial<SnapshotPart>
}

/** A snapshot as somebody else might have made it. */
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
    const session = { agent: ofFiles.id, id: ID, native_id: ID, title: null, cwd: null, ...rest }
    const told = parts.map(({ text = 'hello\n', ...part }) => {
      const whole = { kind: 'file', root: 'config', form: 'lines', mode: 0o600, ...part }
      const [kind, end] = whole.kind === 'file' ? ['files', ''] : ['rows', '.jsonl']
      const name = `${session.agent}/${session.id}/${kind}/${whole.root}/${whole.path}${end}`
      add(change.nameOf?.(name) ?? name, text)
      return { size: Buffer.byteLength(text), sha256: sha(text), ...whole, ...change.told }
    })
    return JSON.stringify({ created_at: null, updated_at: null, agent_version: null, ...session, parts: told })
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

async function restored(file: string, io: Io): Promise<Outcome[]> {
  const verified = await verifySnapshot(file)
  const outcomes: Outcome[] = []
  const order = { file, verified, sessions: verified.sessions, to: io, home: io.home, spool: scratchFolder() }
  for await (const outcome of restoreSnapshot(order)) outcomes.push(outcome)
  return outcomes
}

test('one that is as it should be is restored, with no more rights than are good', async () => {
  const io = scratchIo()
  const outcomes = await restored(forge(io, [{ parts: [{ path: GOOD, mode: 0o666 }] }]), io)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['restored'])
  expect(filesBelow(io.home)).toEqual([join(io.home, '.claude', GOOD)])
})

const good: Forged = { parts: [{ path: GOOD }] }

test.each<[name: string, sessions: readonly Forged[], change: Change, words: string]>([
  ['a way out', [{ parts: [{ path: '../../.ssh/authorized_keys' }] }], {}, 'leads elsewhere'],
  ['a way out that begins well', [{ parts: [{ path: `projects/x/../../${ID}.jsonl` }] }], {}, 'leads elsewhere'],
  ['an absolute path', [{ parts: [{ path: '/etc/passwd' }] }], {}, 'leads elsewhere'],
  ['settings', [{ parts: [{ path: 'settings.json' }] }], {}, 'nothing that belongs to a session'],
  ['an unknown root', [{ parts: [{ path: GOOD, root: 'home' }] }], {}, 'nothing that belongs to a session'],
  ['an agent that is a path', [{ ...good, agent: 'x/y' }], {}, 'not what Ion writes'],
  ['an id that is a path', [{ ...good, id: '..' }], {}, 'leads elsewhere'],
  ['a part twice', [{ parts: [{ path: GOOD }, { path: GOOD }] }], {}, 'is there twice'],
  ['another name in the tar', [good], { nameOf: (name) => `${name}x` }, 'not where the manifest has it'],
  ['a wrong checksum', [good], { told: { sha256: sha('other') } }, 'its checksum is another one'],
  ['a wrong size', [good], { told: { size: 1 } }, 'its checksum is another one'],
  ['a huge size', [good], { told: { size: -1 } }, 'not what Ion writes'],
  ['strange rights', [good], { told: { mode: 0o4755 } }, 'not what Ion writes'],
  ['no manifest line of it', [good], { manifest: (lines) => lines.slice(1) }, 'manifest is not what was written'],
  ['a manifest without end', [good], { manifest: (lines) => lines.slice(0, 1) }, 'its manifest has no end'],
  ['a manifest that is no JSON', [good], { manifest: () => ['{'] }, 'a line is not JSON'],
  ['a newer version', [good], { header: { v: 2 } }, 'written by a newer Ion'],
  ['something else', [good], { header: { format: 'x' } }, 'not a snapshot of Ion'],
])('%s is refused, and nothing is written', async (_name, sessions, change, words) => {
  const io = scratchIo()
  await expect(restored(forge(io, sessions, change), io)).rejects.toThrow(words)
  expect(filesBelow(io.home)).toEqual([])
})

const COLUMNS = ['id', 'name', 'working_dir']
const header = (tables: unknown, more: object = {}): string =>
  JSON.stringify({ v: 1, schema: [], tables, bookkeeping: [], ...more })
const session = { table: 'sessions', where: { id: 's' }, columns: COLUMNS }

function rows(...lines: readonly string[]): Forged {
  const text = lines.map((line) => `${line}\n`).join('')
  return { agent: ofRows.id, parts: [{ kind: 'rows', root: 'sessions', path: 'sessions.db', text }] }
}

test.each<[name: string, forged: Forged, words: string]>([
  ['another table', rows(header([{ ...session, table: 'tokens' }])), 'no table that a session of this agent'],
  ['no session', rows(header([{ ...session, where: {} }])), 'without a session'],
  ['a session by a column that is not there', rows(header([{ ...session, where: { x: 1 } }])), 'without a session'],
  ['a row of another session', rows(header([session]), '[0,"other","n","/"]'), 'is of another session'],
  ['a row too short', rows(header([session]), '[0,"s"]'), 'a row of an unknown table'],
  ['a row of no table', rows(header([session]), '[7,"s","n","/"]'), 'a row of an unknown table'],
  ['a value that is none', rows(header([session]), '[0,"s",{"x":1},"/"]'), 'not a value of a row'],
  [
    'credentials as bookkeeping',
    rows(header([session], { bookkeeping: [{ table: 'auth_kv', columns: ['k'] }] })),
    'no table that a snapshot has',
  ],
  ['no header', rows('[]'), 'of a version that this Ion does not know'],
  ['a half line', { ...rows(), parts: [{ ...rows().parts[0]!, text: '{' }] }, 'not whole'],
  ['the whole database', { agent: ofRows.id, parts: [{ root: 'sessions', path: 'sessions.db' }] }, 'a whole database'],
])('rows: %s is refused, and nothing is written', async (_name, forged, words) => {
  const io = scratchIo()
  await expect(restored(forge(io, [forged]), io)).rejects.toThrow(words)
  expect(filesBelow(io.home)).toEqual([])
})

test('rows that are as they should be go in beside others, and never over them', async () => {
  const io = scratchIo()
  const folder = ofRows.backup!.roots(io).sessions!
  mkdirSync(folder, { recursive: true })
  const database = openDatabase(join(folder, 'sessions.db'))
  database.exec(
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT); INSERT INTO sessions VALUES ('o', 'mine', '/')",
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

test('an agent that is not known fails by itself, and the others are restored', async () => {
  const io = scratchIo()
  const other: Forged = { agent: 'robot', parts: [{ path: 'x' }] }
  const outcomes = await restored(forge(io, [other, good]), io)
  expect(outcomes.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['failed', 'this Ion knows no agent called "robot"'],
    ['restored', undefined],
  ])
})

test('what is there and is something else stays as it is', async () => {
  const io = scratchIo()
  const path = join(io.home, '.claude', GOOD)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'newer\n')
  const outcomes = await restored(forge(io, [good]), io)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused'])
})
