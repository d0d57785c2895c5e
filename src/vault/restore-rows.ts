import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { columnNames, tableNames } from '../native/database.ts'
import { condition, decode, type Encoded, named, type RowsHeader, selected, type TableRows } from '../native/rows.ts'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import { type Database, openDatabase, transaction, type Value } from '../platform/sqlite.ts'
import { removeStale, stagedIn } from './staging-file.ts'

/** Rows that were kept, all of them in memory: they are of one session. */
export interface KeptRows {
  readonly header: RowsHeader
  /** Of each table of the header, then of each of its bookkeeping. */
  readonly rows: readonly (readonly Encoded[])[][]
}

export interface PutRows {
  readonly act: 'written' | 'same' | 'replaced'
  readonly rows: number
}

const BUSY_MS = 10_000

/** Reads what `rowLines` wrote. Only tables in which the agent's sessions have rows are accepted. */
export function parseRows(content: Iterable<Buffer>, allowed: readonly string[]): KeptRows {
  const [first = '', ...lines] = Buffer.concat([...content])
    .toString('utf8')
    .trimEnd()
    .split('\n')
  const header = JSON.parse(first) as RowsHeader
  if (header.v !== 1) throw new Error(`rows of version ${header.v}: written by a newer Ion`)
  const wrong = header.tables.find(({ table }) => !allowed.includes(table))
  if (wrong) throw new Error(`"${wrong.table}" is no table that a session of this agent has rows in`)
  const rows: Encoded[][][] = [...header.tables, ...header.bookkeeping].map(() => [])
  for (const line of lines) {
    const [table, ...values] = JSON.parse(line) as [number, ...Encoded[]]
    const into = rows[table]
    if (!into) throw new Error('a row of an unknown table')
    into.push(values)
  }
  return { header, rows }
}

/**
 * Puts the rows of a session back, all or none. `same` when they are all there. Refuses where the database has something
 * else for this session, unless it is to be replaced, and where its tables are others than they were.
 */
export function putRows(path: string, kept: KeptRows, replace: boolean): PutRows {
  if (!existsSync(path)) return makeDatabase(path, kept)
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return transaction(database, () => putInto(database, path, kept, replace))
  } finally {
    database.close()
  }
}

function putInto(database: Database, path: string, kept: KeptRows, replace: boolean): PutRows {
  if (tableNames(database).size === 0) makeTables(database, kept)
  const { header, rows } = kept
  checkTables(database, path, header)
  const own = header.tables.map((table, index) => ({ table, rows: rows[index]! })).filter(({ table }) => !table.shared)
  const there = own.map(({ table }) => [...selected(database, table.table, table.where, table.columns)])
  const isEmpty = there.every((found) => found.length === 0)
  if (own.every(({ table, rows: wanted }, index) => isSame(wanted, there[index]!, table)))
    return { act: 'same', rows: 0 }
  if (!isEmpty && !replace) {
    throw new IonError('refused', `the session in ${path} is another state of it than the copy`, {
      hint: 'put the copy elsewhere with --to <folder>, or in its place with --replace (what is there now is kept first)',
    })
  }
  for (const { table } of own.toReversed()) remove(database, table)
  const count = header.tables.reduce((sum, table, index) => sum + insert(database, table, rows[index]!), 0)
  return { act: isEmpty ? 'written' : 'replaced', rows: count }
}

/** Those who refer to others go first. */
export function remove(database: Database, { table, where }: TableRows): void {
  // Without a condition it would be the rows of all sessions.
  if (Object.keys(where).length === 0) throw new Error(`rows of "${table}" without a session`)
  database.prepare(`DELETE FROM ${named(table)}${condition(where)}`).run(...Object.values(where))
}

function insert(
  database: Database,
  table: RowsHeader['tables'][number],
  rows: readonly (readonly Encoded[])[],
): number {
  const { where, shared, columns, numbered } = table
  const isThere = database.prepare(`SELECT 1 FROM ${named(table.table)}${condition(where)} LIMIT 1`)
  if (shared && isThere.get(...Object.values(where))) return 0
  const number = numbered === undefined ? -1 : columns.indexOf(numbered)
  const values = rows.map((row) => row.map(decode))
  // One that is taken by now, and all get new ones: their order must stay.
  const isFree = number < 0 || !values.some((row) => isTaken(database, table.table, numbered!, row[number]!))
  const statement = inserting(database, table.table, isFree ? columns : columns.toSpliced(number, 1))
  for (const row of values) statement.run(...(isFree ? row : row.toSpliced(number, 1)))
  return rows.length
}

function isTaken(database: Database, table: string, column: string, value: Value): boolean {
  return database.prepare(`SELECT 1 FROM ${named(table)} WHERE ${named(column)} = ?`).get(value) !== undefined
}

function inserting(database: Database, table: string, columns: readonly string[]): ReturnType<Database['prepare']> {
  return database.prepare(
    `INSERT INTO ${named(table)} (${columns.map(named).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
}

/** The number that the database gave says nothing. */
function isSame(
  a: readonly (readonly Encoded[])[],
  b: readonly (readonly Encoded[])[],
  { columns, numbered }: RowsHeader['tables'][number],
): boolean {
  const plain = (row: readonly Encoded[]): string =>
    JSON.stringify(row.filter((_, index) => columns[index] !== numbered || numbered === undefined))
  return a.length === b.length && a.every((row, index) => plain(row) === plain(b[index]!))
}

/** A table may have got columns since; it may not have lost one, or want one that the copy does not have. */
function checkTables(database: Database, path: string, { tables }: RowsHeader): void {
  const known = tableNames(database)
  for (const { table, columns } of tables) {
    const now = columnNames(database, table)
    const missing = known.has(table) ? columns.find((column) => !now.has(column)) : undefined
    const needed = database
      .prepare('SELECT name FROM pragma_table_info(?) WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0')
      .all(table) as { name: string }[]
    const wanted = needed.find(({ name }) => !columns.includes(name))?.name
    if (known.has(table) && missing === undefined && wanted === undefined) continue
    const what = known.has(table) ? `the column "${missing ?? wanted}"` : `the table "${table}"`
    const how = missing !== undefined || !known.has(table) ? 'has no more' : 'has got'
    throw new IonError('refused', `${path} has another schema than the copy: it ${how} ${what}`, {
      hint: 'use the version of the agent that the copy was made with; ion show and ion export read the archive without it',
    })
  }
}

/** The database is gone: it is made anew as it was, beside its place, and put there when it is whole. */
function makeDatabase(path: string, kept: KeptRows): PutRows {
  const left = ['-wal', '-journal'].map((ending) => path + ending).find((file) => existsSync(file))
  if (left) {
    throw new IonError('refused', `${path} is gone, but ${left} is there, and would be played into a new one`, {
      hint: 'bring the database back, or move that file away',
    })
  }
  removeStale(privateFolder(dirname(path)))
  const temporary = stagedIn(dirname(path))
  // Some of them hold credentials later: nobody else may read it.
  closeSync(openSync(temporary, 'wx', 0o600))
  try {
    const database = openDatabase(temporary)
    try {
      database.exec('BEGIN')
      makeTables(database, kept)
      const rows = kept.header.tables.reduce((sum, table, index) => sum + insert(database, table, kept.rows[index]!), 0)
      database.exec('COMMIT')
      database.close()
      syncFile(temporary)
      renameSync(temporary, path)
      syncFolder(dirname(path))
      return { act: 'written', rows }
    } catch (error) {
      database.close()
      throw error
    }
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(temporary + ending, { force: true })
  }
}

function makeTables(database: Database, { header, rows }: KeptRows): void {
  const isVirtual = (sql: string): boolean => /^CREATE VIRTUAL/i.test(sql)
  // A virtual table makes its own tables.
  for (const sql of header.schema.toSorted((a, b) => Number(isVirtual(b)) - Number(isVirtual(a)))) {
    if (!/^CREATE (VIRTUAL TABLE|TABLE|INDEX|UNIQUE INDEX|TRIGGER|VIEW)\b/i.test(sql)) {
      throw new Error('a schema that makes something else than tables')
    }
    const table = /^CREATE TABLE\s+["'`[]?(\w+)/i.exec(sql)?.[1]
    if (table && tableNames(database).has(table)) continue
    database.prepare(sql).run()
  }
  const { tables, bookkeeping } = header
  for (const [index, table] of bookkeeping.entries()) {
    insert(database, { ...table, where: {} }, rows[tables.length + index]!)
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
