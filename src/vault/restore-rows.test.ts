import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { type RowsPart, rowLines } from '../native/rows.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { type KeptRows, parseRows, putRows } from './restore-rows.ts'

const part: RowsPart = {
  kind: 'rows',
  root: 'data',
  path: 'robot.db',
  tables: [
    { table: 'project', where: { id: 'p' }, shared: true },
    { table: 'session', where: { id: 's' } },
    { table: 'message', where: { session_id: 's' }, numbered: 'n' },
  ],
  bookkeeping: ['version'],
}
const TABLES = ['project', 'session', 'message']

const SCHEMA = `
  CREATE TABLE version (v INTEGER);
  CREATE TABLE project (id TEXT PRIMARY KEY, name TEXT);
  CREATE TABLE session (id TEXT PRIMARY KEY, project TEXT REFERENCES project(id));
  CREATE TABLE message (n INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT REFERENCES session(id), body TEXT);
  CREATE INDEX by_session ON message(session_id);`

function robot(more = ''): string {
  const path = join(scratchFolder(), 'robot.db')
  use(path, (database) =>
    database.exec(`${SCHEMA}
      INSERT INTO version VALUES (16);
      INSERT INTO project VALUES ('p', 'shop');
      INSERT INTO session VALUES ('s', 'p'), ('other', 'p');
      INSERT INTO message (session_id, body) VALUES ('s', 'one'), ('other', 'x'), ('s', 'two');${more}`),
  )
  return path
}

function use<T>(path: string, body: (database: Database) => T): T {
  const database = openDatabase(path)
  try {
    return body(database)
  } finally {
    database.close()
  }
}

function kept(path: string): KeptRows {
  const lines = use(path, (database) => [...rowLines(database, part)])
  return parseRows([Buffer.from(lines.map((line) => `${line}\n`).join(''))], TABLES)
}

function messages(path: string): unknown[] {
  return use(path, (database) => database.prepare('SELECT n, session_id, body FROM message ORDER BY n').all()).map(
    (row) => Object.values(row as object),
  )
}

const remove = "DELETE FROM message WHERE session_id = 's'; DELETE FROM session WHERE id = 's';"

test('rows that are gone come back under their numbers; a second time there is nothing to do', () => {
  const path = robot()
  const rows = kept(path)
  const before = messages(path)
  use(path, (database) => database.exec(remove))
  expect(putRows(path, rows, false)).toEqual({ act: 'written', rows: 3 })
  expect(messages(path)).toEqual(before)
  expect(putRows(path, rows, false)).toEqual({ act: 'same', rows: 0 })
})

test('where a number is taken by now all get new ones, in their order', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} INSERT INTO message VALUES (1, 'other', 'new')`))
  putRows(path, rows, false)
  expect(messages(path)).toEqual([
    [1, 'other', 'new'],
    [2, 'other', 'x'],
    [4, 's', 'one'],
    [5, 's', 'two'],
  ])
})

test('another state of the session is refused, and replaced only when asked', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec("INSERT INTO message (session_id, body) VALUES ('s', 'three')"))
  expect(() => putRows(path, rows, false)).toThrow('another state of it than the copy')
  expect(messages(path)).toHaveLength(4)
  expect(putRows(path, rows, true)).toEqual({ act: 'replaced', rows: 3 })
  expect(messages(path)).toHaveLength(3)
})

test('a database that is gone is made as it was, with what its version is known by', () => {
  const rows = kept(robot())
  const path = join(scratchFolder(), 'data', 'robot.db')
  expect(putRows(path, rows, false)).toEqual({ act: 'written', rows: 4 })
  expect(readdirSync(dirname(path))).toEqual(['robot.db'])
  expect(use(path, (database) => database.prepare('SELECT v FROM version').get())).toEqual({ v: 16 })
  expect(kept(path)).toEqual(rows)
})

test('a WAL without its database is not played into a new one', () => {
  const path = join(scratchFolder(), 'robot.db')
  writeFileSync(`${path}-wal`, 'x')
  expect(() => putRows(path, kept(robot()), false)).toThrow('would be played into a new one')
  expect(existsSync(path)).toBe(false)
})

test.each([
  ['a column that is no more', 'ALTER TABLE message DROP COLUMN body', 'it has no more the column "body"'],
  ['a table that is no more', 'DROP TABLE message', 'it has no more the table "message"'],
  [
    'a column that must be filled',
    'DROP TABLE message; CREATE TABLE message (n INTEGER PRIMARY KEY, session_id TEXT, body TEXT, kind TEXT NOT NULL)',
    'it has got the column "kind"',
  ],
])('%s: refused, and nothing changed', (_name, change, message) => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} ${change}`))
  expect(() => putRows(path, rows, false)).toThrow(message)
  expect(use(path, (database) => database.prepare("SELECT count(*) AS n FROM session WHERE id = 's'").get())).toEqual({
    n: 0,
  })
})

test('a column that was added since gets its default', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} ALTER TABLE message ADD COLUMN kind TEXT NOT NULL DEFAULT 'plain'`))
  expect(putRows(path, rows, false).act).toBe('written')
})

test('a file from elsewhere cannot reach other tables, or all rows of one', () => {
  const rows = kept(robot())
  const text = (header: object): Buffer[] => [Buffer.from(`${JSON.stringify(header)}\n`)]
  expect(() =>
    parseRows(text({ ...rows.header, tables: [{ table: 'auth', where: {}, columns: [] }] }), TABLES),
  ).toThrow('"auth" is no table that a session of this agent has rows in')
  const everything = {
    ...rows,
    header: { ...rows.header, tables: [{ table: 'message', where: {}, columns: ['body'] }] },
  }
  expect(() => putRows(robot(), everything, true)).toThrow('rows of "message" without a session')
  const evil = { ...rows, header: { ...rows.header, schema: ["ATTACH 'x' AS y"] } }
  expect(() => putRows(join(scratchFolder(), 'new.db'), evil, false)).toThrow('something else than tables')
})
