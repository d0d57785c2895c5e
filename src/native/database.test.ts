import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scratchFolder, treeState } from '../../test/support/scratch.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { bounded, columnNames, databaseStamps, eachRow, LargeRow, tableNames, withNativeDatabase } from './database.ts'

const words = (path: string): unknown[] => [
  ...withNativeDatabase(path, (database) => database.prepare('SELECT word FROM t ORDER BY rowid').all()),
]

/** A database with one word in the main file and, in WAL mode, a second one that is only in the WAL. */
function make(path: string, mode: 'wal' | 'delete'): Database {
  const database = openDatabase(path)
  database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (word TEXT); INSERT INTO t VALUES ('main')`)
  if (mode === 'wal') database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.exec("INSERT INTO t VALUES ('second')")
  return database
}

/** Copies the files as a killed program leaves them: no clean close, which would empty the WAL. */
function leftBehind(endings: readonly string[]): string {
  const from = join(scratchFolder(), 'live.db')
  const database = make(from, 'wal')
  const path = join(scratchFolder(), 'store.db')
  for (const ending of endings) copyFileSync(from + ending, path + ending)
  database.close()
  return path
}

describe('the WAL is read, and the folder is not changed', () => {
  test.each([
    ['all three files', ['', '-wal', '-shm']],
    ['-shm missing', ['', '-wal']],
  ])('%s', (_what, endings) => {
    const path = leftBehind(endings)
    const folder = join(path, '..')
    const before = [readdirSync(folder), treeState(folder)]
    expect(words(path)).toEqual([{ word: 'main' }, { word: 'second' }])
    expect([readdirSync(folder), treeState(folder)]).toEqual(before)
  })

  test.each([
    ['-wal missing', ['', '-shm']],
    ['the main file alone', ['']],
  ])('%s: what was checkpointed is read', (_what, endings) => {
    const path = leftBehind(endings)
    const folder = join(path, '..')
    const before = [readdirSync(folder), treeState(folder)]
    expect(words(path)).toEqual([{ word: 'main' }])
    expect([readdirSync(folder), treeState(folder)]).toEqual(before)
  })
})

test('a new copy is made when the original has changed', () => {
  const path = leftBehind(['', '-wal'])
  expect(words(path)).toHaveLength(2)
  const database = openDatabase(path)
  database.exec("INSERT INTO t VALUES ('third')")
  database.close()
  expect(words(path)).toEqual([{ word: 'main' }, { word: 'second' }, { word: 'third' }])
})

test('reads committed rows while another connection writes', () => {
  const path = join(scratchFolder(), 'store.db')
  const writer = make(path, 'wal')
  writer.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES ('not yet')")
  expect(words(path)).toEqual([{ word: 'main' }, { word: 'second' }])
  writer.exec('COMMIT')
  writer.close()
  expect(words(path)).toHaveLength(3)
})

test('a database that another process holds exclusively is one problem, in bounded time', async () => {
  const path = join(scratchFolder(), 'store.db')
  make(path, 'delete').close()
  await holdExclusively(path)
  const started = performance.now()
  expect(words(path)).toEqual([
    {
      code: 'locked',
      problem: 'cannot open the database: database is locked (another program is writing; try again)',
      path,
      retryable: true,
    },
  ])
  const waited = performance.now() - started
  // One that holds many sessions is not waited for each time.
  const again = performance.now()
  for (let n = 0; n < 20; n++) expect(words(path)).toHaveLength(1)
  expect(performance.now() - again).toBeLessThan(10 * waited)
})

test('a WAL database in exclusive locking mode is read from a copy', async () => {
  const path = join(scratchFolder(), 'store.db')
  make(path, 'wal').close()
  await holdExclusively(path)
  expect(existsSync(`${path}-shm`)).toBe(false)
  expect(words(path)).toEqual([{ word: 'main' }, { word: 'second' }])
})

test('a file that is not a database, or a damaged one, is one problem', () => {
  const folder = scratchFolder()
  const path = join(folder, 'store.db')
  writeFileSync(path, 'this is a text and no database, long enough to be looked at'.repeat(100))
  expect(words(path)).toEqual([
    { code: 'damaged', problem: expect.stringMatching(/not a database \(the file is damaged\)$/), path },
  ])
  make(join(folder, 'good.db'), 'delete').close()
  const bytes = readFileSync(join(folder, 'good.db'))
  bytes.fill(0xaa, 4096)
  writeFileSync(path, bytes)
  expect(words(path)).toEqual([
    { code: 'damaged', problem: expect.stringMatching(/\(the file is damaged\)$/), path, retryable: true },
  ])
  rmSync(path)
  expect(words(path)).toEqual([
    {
      code: 'cannot_read',
      errno: 'ENOENT',
      problem: expect.stringMatching(/^cannot open the database: ENOENT/),
      path,
      retryable: true,
    },
  ])
  mkdirSync(path)
  expect(words(path)).toEqual([
    { code: 'cannot_read', errno: 'EISDIR', problem: expect.stringMatching(/: EISDIR/), path, retryable: true },
  ])
})

test('an empty file is an empty database', () => {
  const path = join(scratchFolder(), 'store.db')
  writeFileSync(path, '')
  expect([...withNativeDatabase(path, (database) => [...tableNames(database)])]).toEqual([])
})

test('rows before an error are kept', () => {
  const path = join(scratchFolder(), 'store.db')
  make(path, 'delete').close()
  const found = withNativeDatabase(path, function* (database) {
    yield* database.prepare('SELECT word FROM t').all()
    database.prepare('SELECT absent FROM t')
  })
  expect([...found]).toEqual([
    { word: 'main' },
    { word: 'second' },
    { code: 'cannot_read', problem: 'cannot read the database: no such column: absent', path, retryable: true },
  ])
})

test('large rows and values are not read', () => {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  database.exec(`CREATE TABLE "a ""b" (name TEXT, "the ""body" TEXT);
    INSERT INTO "a ""b" VALUES ('small', 'x'), ('large', hex(zeroblob(50))), ('empty', NULL)`)
  const rows = { table: '"a ""b"', columns: 'name', which: 'ORDER BY rowid' }
  expect([...eachRow(database, { ...rows, maxBytes: 104 })]).toEqual([
    { name: 'small' },
    new LargeRow(105),
    { name: 'empty' },
  ])
  expect([...eachRow(database, rows)].map((row) => (row as { name: string }).name)).toEqual(['small', 'large', 'empty'])
  database.exec('CREATE TABLE c (body TEXT); INSERT INTO c VALUES (hex(zeroblob(17000000))), (7), (NULL)')
  expect(database.prepare(`SELECT ${bounded('body')} FROM c`).all()).toEqual([
    { body: null },
    { body: '7' },
    { body: null },
  ])
})

test('tables, columns and stamps', () => {
  const path = join(scratchFolder(), 'store.db')
  const database = make(path, 'wal')
  expect(tableNames(database)).toEqual(new Set(['t']))
  expect(columnNames(database, 't')).toEqual(new Set(['word']))
  expect(columnNames(database, 'none')).toEqual(new Set())
  expect(databaseStamps(path).map((stamp) => stamp.path)).toEqual([path, `${path}-wal`])
  database.close()
  expect(databaseStamps(join(path, 'none'))).toEqual([])
})

/** Another process takes the database for itself, and lets go when the test ends. */
async function holdExclusively(path: string): Promise<void> {
  const script = `
    const { DatabaseSync } = process.getBuiltinModule?.('node:sqlite') ?? require('@photostructure/sqlite')
    const database = new DatabaseSync(process.argv[1])
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO t VALUES ('mine')")
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
}
