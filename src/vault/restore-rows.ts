import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isProblem } from '../events/item.ts'
import { columnNames, tableNames, withNativeDatabase } from '../native/database.ts'
import { condition, decode, type Encoded, named, type RowsHeader, selected, type TableRows } from '../native/rows.ts'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import { type Database, openDatabase, transaction, type Value } from '../platform/sqlite.ts'
import { createSchema } from './schema.ts'
import { removeStaleStaging, stagingFile } from './staging-file.ts'

/** The stored rows of one session, all in memory. */
export interface StoredRows {
  readonly header: RowsHeader
  /** By table: those of the header's `tables`, then of its `bookkeeping`. */
  readonly rows: readonly (readonly Encoded[])[][]
}

export interface RestoredRows {
  readonly act: 'written' | 'same' | 'replaced'
  readonly rows: number
}

const BUSY_MS = 10_000

/** Parses what `rowLines` wrote. Accepts only tables in which sessions of the agent have rows. */
export function parseRows(content: Iterable<Buffer>, allowed: readonly string[]): StoredRows {
  const [first = '', ...lines] = Buffer.concat([...content])
    .toString('utf8')
    .trimEnd()
    .split('\n')
  const header = JSON.parse(first) as RowsHeader
  if (header.v !== 1) throw new Error(`the rows were written by a newer version of Ion (format ${header.v})`)
  const wrong = header.tables.find(({ table }) => !allowed.includes(table))
  if (wrong) throw new Error(`sessions of this agent have no rows in the table "${wrong.table}"`)
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
 * Restores the rows of a session, all or none. `same` when they all exist. Refuses when the database has different rows
 * for this session, except with `replace`, and when its schema does not fit.
 */
export function restoreRows(path: string, stored: StoredRows, replace: boolean): RestoredRows {
  if (!existsSync(path)) return createDatabase(path, stored)
  return inTransaction(path, (database) => restoreInto(database, path, stored, replace))
}

/** What `restoreRows` would do, and the same refusals. Nothing is written. */
export function previewRows(path: string, stored: StoredRows, replace: boolean): RestoredRows {
  const rows = stored.header.tables.reduce((sum, _, index) => sum + stored.rows[index]!.length, 0)
  if (!existsSync(path)) {
    refuseLeftover(path)
    return { act: 'written', rows }
  }
  const [act] = withNativeDatabase(path, (database) => [decision(database, path, stored, replace)])
  if (act === undefined || isProblem(act)) throw new Error(act?.problem ?? `${path} cannot be read`)
  if (act instanceof IonError) throw act
  return { act, rows: act === 'same' ? 0 : rows }
}

/** A refusal is a value here: what is thrown while an agent's database is open is reported as a problem of the database. */
function decision(
  database: Database,
  path: string,
  stored: StoredRows,
  replace: boolean,
): RestoredRows['act'] | IonError {
  try {
    return tableNames(database).size === 0 ? 'written' : decide(database, path, stored, replace).act
  } catch (error) {
    if (error instanceof IonError) return error
    throw error
  }
}

/** Writes to a database of an agent, all or nothing. */
export function inTransaction<T>(path: string, write: (database: Database) => T): T {
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return transaction(database, () => write(database))
  } finally {
    database.close()
  }
}

function restoreInto(database: Database, path: string, stored: StoredRows, replace: boolean): RestoredRows {
  if (tableNames(database).size === 0) createTables(database, stored)
  const { act, own } = decide(database, path, stored, replace)
  if (act === 'same') return { act, rows: 0 }
  for (const table of own.toReversed()) deleteRows(database, table)
  return { act, rows: insertAll(database, stored) }
}

/** What to do with the session's own tables. Only reads. */
function decide(
  database: Database,
  path: string,
  { header, rows }: StoredRows,
  replace: boolean,
): { readonly act: RestoredRows['act']; readonly own: readonly TableRows[] } {
  checkTables(database, path, header)
  const own = header.tables.map((table, index) => ({ table, rows: rows[index]! })).filter(({ table }) => !table.shared)
  const existing = own.map(({ table }) => [...selected(database, table.table, table.where, table.columns)])
  const isEmpty = existing.every((found) => found.length === 0)
  const tables = own.map(({ table }) => table)
  if (own.every(({ table, rows: wanted }, index) => isSame(wanted, existing[index]!, table)))
    return { act: 'same', own: tables }
  if (!isEmpty && !replace) {
    throw new IonError('refused', `${path} already has a different version of this session`, {
      hint: 'restore into another folder with --to <folder>, or use --replace, which captures the existing version first',
    })
  }
  return { act: isEmpty ? 'written' : 'replaced', own: tables }
}

/** Callers delete referring tables first. */
export function deleteRows(database: Database, { table, where }: TableRows): void {
  // Without a condition it would delete the rows of all sessions.
  if (Object.keys(where).length === 0) throw new Error(`rows of "${table}" without a session`)
  database.prepare(`DELETE FROM ${named(table)}${condition(where)}`).run(...Object.values(where))
}

/** Returns the number of rows. */
function insertAll(database: Database, { header, rows }: StoredRows): number {
  return header.tables.reduce((sum, table, index) => sum + insert(database, table, rows[index]!), 0)
}

function insert(
  database: Database,
  table: RowsHeader['tables'][number],
  rows: readonly (readonly Encoded[])[],
): number {
  const { where, shared, columns, numbered } = table
  const existing = database.prepare(`SELECT 1 FROM ${named(table.table)}${condition(where)} LIMIT 1`)
  if (shared && existing.get(...Object.values(where))) return 0
  const number = numbered === undefined ? -1 : columns.indexOf(numbered)
  const values = rows.map((row) => row.map(decode))
  // If one number is taken by now, all get new ones, so that their order stays the same.
  const isFree = number < 0 || !values.some((row) => isTaken(database, table.table, numbered!, row[number]!))
  const names = isFree ? columns : columns.toSpliced(number, 1)
  const statement = database.prepare(
    `INSERT INTO ${named(table.table)} (${names.map(named).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  for (const row of values) statement.run(...(isFree ? row : row.toSpliced(number, 1)))
  return rows.length
}

function isTaken(database: Database, table: string, column: string, value: Value): boolean {
  return database.prepare(`SELECT 1 FROM ${named(table)} WHERE ${named(column)} = ?`).get(value) !== undefined
}

/** Numbers assigned by the database are ignored. */
function isSame(
  a: readonly (readonly Encoded[])[],
  b: readonly (readonly Encoded[])[],
  { columns, numbered }: RowsHeader['tables'][number],
): boolean {
  const comparable = (row: readonly Encoded[]): string =>
    JSON.stringify(row.filter((_, index) => columns[index] !== numbered || numbered === undefined))
  return a.length === b.length && a.every((row, index) => comparable(row) === comparable(b[index]!))
}

/** A table may have gained optional columns since, but not lost one or gained a required one. */
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
    const how = missing !== undefined || !known.has(table) ? 'lacks' : 'requires'
    throw new IonError('refused', `${path} has a different schema than the copy: it ${how} ${what}`, {
      hint: 'use the agent version that the copy was made with; ion show and ion export read the archive without it',
    })
  }
}

/** Creates a database that does not exist any more, in a staging file that is renamed when complete. */
function createDatabase(path: string, stored: StoredRows): RestoredRows {
  refuseLeftover(path)
  removeStaleStaging(privateFolder(dirname(path)))
  const temporary = stagingFile(dirname(path))
  // Agents may store credentials in it later: nobody else may read it.
  closeSync(openSync(temporary, 'wx', 0o600))
  try {
    const rows = inTransaction(temporary, (database) => {
      createTables(database, stored)
      return insertAll(database, stored)
    })
    syncFile(temporary)
    renameSync(temporary, path)
    syncFolder(dirname(path))
    return { act: 'written', rows }
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(temporary + ending, { force: true })
  }
}

function refuseLeftover(path: string): void {
  const leftover = ['-wal', '-journal'].map((ending) => path + ending).find((file) => existsSync(file))
  if (leftover) {
    throw new IonError('refused', `${path} is missing but ${leftover} exists; SQLite would replay it`, {
      hint: 'restore the database, or move that file away',
    })
  }
}

function createTables(database: Database, { header, rows }: StoredRows): void {
  createSchema(database, header.schema)
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
