import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { searchFor } from '../../test/support/search-query.ts'
import type { Io } from '../platform/io.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { fileAt } from './connection.ts'
import { catalogPath } from './index-file.ts'
import { openCatalog } from './open.ts'
import { SelfHealingConnection } from './self-healing-connection.ts'

const PAGE = 4096

function world(): Io {
  return scratchIo(fileURLToPath(new URL('../agents/claude/fixtures/2.1.325', import.meta.url)))
}

/** A complete index whose tables are overwritten, but not their description: it opens, and fails while it is in use. */
function damaged(io: Io): void {
  const catalog = openCatalog(io)
  catalog.refresh()
  catalog.close()
  const path = catalogPath(io)
  const database = openDatabase(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const roots = database.prepare('SELECT rootpage FROM sqlite_schema WHERE rootpage > 1').all() as {
    rootpage: number
  }[]
  database.close()
  const file = openSync(path, 'r+')
  for (const { rootpage } of roots) writeSync(file, Buffer.alloc(PAGE, 0x55), 0, PAGE, (rootpage - 1) * PAGE)
  closeSync(file)
}

test.each([
  ['sessions', (io: Io, notices: string[]) => openCatalog(io, (line) => notices.push(line)).sessions()],
  ['eachSession', (io: Io, notices: string[]) => [...openCatalog(io, (line) => notices.push(line)).eachSession()]],
  [
    'find',
    (io: Io, notices: string[]) => openCatalog(io, (line) => notices.push(line)).find('11111111-1111-4111').messages,
  ],
  ['search', (io: Io, notices: string[]) => openCatalog(io, (line) => notices.push(line)).search(searchFor('tool'))],
  ['overview', (io: Io, notices: string[]) => openCatalog(io, (line) => notices.push(line)).overview()],
  [
    'searchSteps',
    (io: Io, notices: string[]) => [...openCatalog(io, (line) => notices.push(line)).searchSteps(searchFor('tool'))],
  ],
])('%s finds damage: the index is rebuilt with one notice, and the answer is the same', (_name, ask) => {
  const io = world()
  const fresh = openCatalog(io)
  fresh.refresh()
  fresh.close()
  const expected = ask(io, [])
  damaged(io)
  const notices: string[] = []
  expect(ask(io, notices)).toEqual(expected)
  expect(notices).toEqual([expect.stringMatching(/^the index is damaged \(.*\); rebuilding it$/)])
})

test('a session that was deleted between list and read is reported', () => {
  const catalog = openCatalog(world())
  catalog.refresh()
  const [row] = catalog.sessions()
  expect(() => catalog.locate({ id: row!.id, path: '/gone' })).toThrow(`session ${row!.id} no longer exists`)
})

function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
}

test('steps before the damage are not repeated, and other errors are thrown', () => {
  const notices: string[] = []
  const connection = new SelfHealingConnection(catalogPath(world()), (line) => notices.push(line))
  let tries = 0
  const work = function* (): Generator<number, string> {
    yield 1
    yield 2
    if (tries++ === 0) throw sqliteError(11, 'database disk image is malformed')
    yield 3
    return 'done'
  }
  expect([...connection.steps(work)]).toEqual([1, 2, 3])
  expect(notices.length).toBe(1)
  expect(() => connection.run(() => JSON.parse('{'))).toThrow(SyntaxError)
  connection.close()
})

const IOERR_FSTAT = 1802

test('a disk that seems to fail because a file was deleted meanwhile: the work is repeated, and nothing is rebuilt', () => {
  const notices: string[] = []
  const path = catalogPath(world())
  const connection = new SelfHealingConnection(path, (line) => notices.push(line))
  const before = fileAt(path)
  for (const failing of [1, 2]) {
    let calls = 0
    const answer = connection.run(() => {
      if (++calls <= failing) throw sqliteError(IOERR_FSTAT, 'disk I/O error')
      return 'done'
    })
    expect([answer, calls]).toEqual(['done', failing + 1])
  }
  expect([notices, fileAt(path)]).toEqual([[], before])
  connection.close()
})

test.each([
  ['failing', IOERR_FSTAT, 'disk I/O error', 3],
  ['full', 13, 'database or disk is full', 1],
])('a disk that is really %s is reported', (_name, code, message, expected) => {
  const connection = new SelfHealingConnection(catalogPath(world()), () => {})
  let calls = 0
  const failing = (): never => {
    calls++
    throw sqliteError(code, message)
  }
  expect(() => connection.run(failing)).toThrow('cannot use the index')
  expect(calls).toBe(expected)
  connection.close()
})

test.each([
  ['failing', IOERR_FSTAT, 'disk I/O error'],
  ['full', 13, 'database or disk is full'],
])('a disk that is really %s: in memory from then on, with one line', (_name, code, message) => {
  const notices: string[] = []
  const connection = new SelfHealingConnection(catalogPath(world()), (line) => notices.push(line), 'unwritable')
  let repopulated = 0
  const work = (database: Database): unknown => {
    if (connection.isOnDisk) throw sqliteError(code, message)
    return database.prepare('SELECT count(*) AS n FROM session').get()
  }
  for (let round = 0; round < 2; round++) expect(connection.run(work, () => repopulated++)).toEqual({ n: 0 })
  expect(notices).toEqual([expect.stringMatching(/^cannot use the index .*; reading all sessions into memory instead/)])
  expect(connection.unusable?.reason).toBe(message)
  expect(repopulated).toBeGreaterThan(0)
  connection.close()
})

test('an index that is deleted again and again while it is used is rebuilt each time', () => {
  const path = catalogPath(world())
  const connection = new SelfHealingConnection(path, () => {})
  let calls = 0
  const answer = connection.run((database) => {
    if (++calls < 4) rmSync(path)
    database.exec("INSERT INTO meta(key, value) VALUES ('key', 'value')")
    if (calls < 4) throw sqliteError(IOERR_FSTAT, 'disk I/O error')
    return calls
  })
  expect(answer).toBe(4)
  connection.close()
})

test.each(['SELECT titel FROM session', 'SELECT * FROM sesion', 'CREATE TABLE session(id)'])(
  'a mistake in a query is an error and does not rebuild the index: %s',
  (sql) => {
    const notices: string[] = []
    const path = catalogPath(world())
    const connection = new SelfHealingConnection(path, (line) => notices.push(line))
    const before = fileAt(path)
    expect(() => connection.run((database) => database.exec(sql))).toThrow(/titel|sesion|already exists/)
    expect([notices, fileAt(path)]).toEqual([[], before])
    connection.close()
  },
)
