import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { type RowsPart, rowLines } from '../native/rows.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { parseRows, restoreRows, type StoredRows } from './restore-rows.ts'

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

function kept(path: string): StoredRows {
  const lines = use(path, (database) => [...rowLines(database, part)])
  return parseRows([Buffer.from(lines.map((line) => `${line}\n`).join(''))], TABLES)
}

function messages(path: string): unknown[] {
  return use(path, (database) => database.prepare('SELECT n, session_id, body FROM message ORDER BY n').all()).map(
    (row) => Object.values(row as object),
  )
}

const remove = "DELETE FROM message WHERE session_id = 's'; DELETE FROM session WHERE id = 's';"

test('lost rows are restored with their numbers; the second time there is nothing to do', () => {
  const path = robot()
  const rows = kept(path)
  const before = messages(path)
  use(path, (database) => database.exec(remove))
  expect(restoreRows(path, rows, false)).toEqual({ act: 'written', rows: 3 })
  expect(messages(path)).toEqual(before)
  expect(restoreRows(path, rows, false)).toEqual({ act: 'same', rows: 0 })
})

test('when a number is taken by now, all get new ones in the same order', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} INSERT INTO message VALUES (1, 'other', 'new')`))
  restoreRows(path, rows, false)
  expect(messages(path)).toEqual([
    [1, 'other', 'new'],
    [2, 'other', 'x'],
    [4, 's', 'one'],
    [5, 's', 'two'],
  ])
})

test('a different version of the session is refused, and replaced only when asked', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec("INSERT INTO message (session_id, body) VALUES ('s', 'three')"))
  expect(() => restoreRows(path, rows, false)).toThrow('already has a different version of this session')
  expect(messages(path)).toHaveLength(4)
  expect(restoreRows(path, rows, true)).toEqual({ act: 'replaced', rows: 3 })
  expect(messages(path)).toHaveLength(3)
})

test('a missing database is created as it was, with its schema version', () => {
  const rows = kept(robot())
  const path = join(scratchFolder(), 'data', 'robot.db')
  expect(restoreRows(path, rows, false)).toEqual({ act: 'written', rows: 4 })
  expect(readdirSync(dirname(path))).toEqual(['robot.db'])
  expect(use(path, (database) => database.prepare('SELECT v FROM version').get())).toEqual({ v: 16 })
  expect(kept(path)).toEqual(rows)
})

test('a WAL without its database is not replayed into a new one', () => {
  const path = join(scratchFolder(), 'robot.db')
  writeFileSync(`${path}-wal`, 'x')
  expect(() => restoreRows(path, kept(robot()), false)).toThrow('SQLite would replay it')
  expect(existsSync(path)).toBe(false)
})

test.each([
  ['a missing column', 'ALTER TABLE message DROP COLUMN body', 'it lacks the column "body"'],
  ['a missing table', 'DROP TABLE message', 'it lacks the table "message"'],
  [
    'a new required column',
    'DROP TABLE message; CREATE TABLE message (n INTEGER PRIMARY KEY, session_id TEXT, body TEXT, kind TEXT NOT NULL)',
    'it requires the column "kind"',
  ],
])('%s: refused, and nothing changed', (_name, change, message) => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} ${change}`))
  expect(() => restoreRows(path, rows, false)).toThrow(message)
  expect(use(path, (database) => database.prepare("SELECT count(*) AS n FROM session WHERE id = 's'").get())).toEqual({
    n: 0,
  })
})

test('a column that was added since gets its default', () => {
  const path = robot()
  const rows = kept(path)
  use(path, (database) => database.exec(`${remove} ALTER TABLE message ADD COLUMN kind TEXT NOT NULL DEFAULT 'plain'`))
  expect(restoreRows(path, rows, false).act).toBe('written')
})

test('a file from somebody else cannot reach other tables, or all rows of one', () => {
  const rows = kept(robot())
  const text = (header: object): Buffer[] => [Buffer.from(`${JSON.stringify(header)}\n`)]
  expect(() =>
    parseRows(text({ ...rows.header, tables: [{ table: 'auth', where: {}, columns: [] }] }), TABLES),
  ).toThrow('sessions of this agent have no rows in the table "auth"')
  const everything = {
    ...rows,
    header: { ...rows.header, tables: [{ table: 'message', where: {}, columns: ['body'] }] },
  }
  expect(() => restoreRows(robot(), everything, true)).toThrow('rows of "message" without a session')
  const evil = { ...rows, header: { ...rows.header, schema: ["ATTACH 'x' AS y"] } }
  expect(() => restoreRows(join(scratchFolder(), 'new.db'), evil, false)).toThrow('neither a table nor an index')
})
