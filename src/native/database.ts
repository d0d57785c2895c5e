import { closeSync, copyFileSync, existsSync, mkdtempSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProblem, type Problem, type ProblemCode, ReadError } from '../events/item.ts'
import {
  type Database,
  isLocked,
  isNotAccessible,
  isSqliteError,
  openDatabase,
  type Value,
} from '../platform/sqlite.ts'
import { MAX_LINE } from './line-cursor.ts'
import { cannotRead } from './problem.ts'
import type { ReadContext } from './read-context.ts'
import { openRegularFile } from './regular-file.ts'
import { type FileStamp, stampOf } from './walk.ts'

const BUSY_MS = 2000
const COPY_TRIES = 5
/** How long Ion does not wait again for a database that stayed locked: it may hold a thousand sessions. */
const PATIENCE_MS = 10_000

export interface NativeDatabaseOptions {
  /** False if the file also holds credentials: it is read in place or not at all. */
  readonly mayCopy?: boolean
}

/** For a file that also holds login tokens. */
export const inPlace: NativeDatabaseOptions = { mayCopy: false }

/**
 * Opens another program's database for reading, including its WAL, and changes nothing there:
 * - in use (`-wal` and `-shm` exist), or not in WAL mode: opened in place, read-only, waiting a moment for a writer;
 * - in WAL mode and not open anywhere: SQLite would have to create `-wal` and `-shm` beside it, so Ion reads a private
 *   copy of the database and its WAL, already unlinked: nothing is left even after kill -9.
 * Never `immutable`, which would ignore the WAL. The body runs while it is open, in one read transaction: everything it
 * reads is of one moment, however long its consumer takes. A failure is one problem.
 */
export function* withNativeDatabase<T>(
  path: string,
  body: (database: Database) => Iterable<T>,
  options: NativeDatabaseOptions = {},
): Generator<T | Problem> {
  const state = stateOf(path)
  const opened = takeIdle(path, state) ?? open(path, options.mayCopy ?? true)
  if (isProblem(opened)) {
    yield opened
    return
  }
  let isComplete = false
  try {
    opened.exec('BEGIN')
    yield* body(opened)
    isComplete = true
  } catch (error) {
    yield { ...databaseProblem(path, error, 'cannot read the database'), retryable: true }
  } finally {
    endTransaction(opened)
    if (isComplete) putIdle(path, state, opened)
    else opened.close()
  }
}

/** Also before closing: Node 20's package closes the files only when the statements have been garbage collected. */
function endTransaction(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // Some errors, such as a failing disk, have already ended it.
  }
}

/** Rows of a table: `columns` of those that `which` (WHERE, ORDER BY) selects. */
export interface RowQuery {
  readonly table: string
  readonly columns: string
  readonly which: string
  /** The values of `?` in `columns`, and in `which`. */
  readonly columnValues?: readonly Value[]
  readonly values?: readonly Value[]
  /** Integers as bigint. */
  readonly bigInts?: boolean
  /** The largest row that is read; `MAX_VALUE` unless it says otherwise. */
  readonly maxBytes?: number
}

/** The largest value that is read from a row, as with the lines of files: memory use must not depend on the store. */
export const MAX_VALUE = MAX_LINE

/** A row that is too large to be read. */
export class LargeRow {
  readonly bytes: number

  constructor(bytes: number) {
    this.bytes = bytes
  }

  /** For a list of sessions. */
  problem(path: string): Problem {
    return {
      code: 'too_large',
      problem: `a session of ${Math.round(this.bytes / 1e6)} MB in one row is too large`,
      path,
    }
  }
}

/** Throws for a row that was selected with `bounded` columns and `rowBytes`. */
export function requireReadable(bytes: number): void {
  if (bytes > MAX_VALUE) throw new ReadError('too_large', `${Math.round(bytes / 1e6)} MB is too much to read at once`)
}

/** SQL of a column, which is NULL where its value is too large. SQLite has the length without reading the value. */
export function bounded(column: string): string {
  return `CASE WHEN octet_length(${column}) <= ${MAX_VALUE} THEN ${column} END AS ${column}`
}

/**
 * One row at a time, without an open statement in between: all keys first, then each row by its key. `which` should not need
 * the content of columns: SQLite would read them however large they are.
 */
export function* eachRow(database: Database, query: RowQuery): Generator<unknown> {
  const { table, columns, which, columnValues = [], values = [], bigInts = false, maxBytes = MAX_VALUE } = query
  const bytesOf = maxBytes === Number.POSITIVE_INFINITY ? '0' : rowBytes(database, table)
  const select = database.prepare(`SELECT rowid AS key, ${bytesOf} AS bytes FROM ${table} ${which}`)
  select.setReadBigInts(true)
  const row = database.prepare(`SELECT ${columns} FROM ${table} WHERE rowid = ?`)
  row.setReadBigInts(bigInts)
  for (const { key, bytes } of select.all(...values) as { key: bigint; bytes: bigint }[]) {
    yield bytes > maxBytes ? new LargeRow(Number(bytes)) : row.get(...columnValues, key)
  }
}

/** The texts in a column as they are stored, one at a time, to look for bytes in them. One that is too large is a problem. */
export function* storedTexts(
  database: Database,
  { path, column, ...query }: { path: string; column: string } & Pick<RowQuery, 'table' | 'which' | 'values'>,
): Generator<Uint8Array | Problem> {
  const columns = `CASE WHEN octet_length(${column}) <= ${MAX_VALUE} THEN CAST(${column} AS BLOB)
    ELSE octet_length(${column}) END AS bytes`
  for (const row of eachRow(database, { ...query, columns, maxBytes: Number.POSITIVE_INFINITY })) {
    const { bytes } = row as { bytes: Uint8Array | number | null }
    if (typeof bytes === 'number') yield new LargeRow(bytes).problem(path)
    else if (bytes) yield bytes
  }
}

/** SQL of the size of a row. */
export function rowBytes(database: Database, table: string): string {
  const name = table.startsWith('"') ? table.slice(1, -1).replaceAll('""', '"') : table
  const lengths = [...columnNames(database, name)].map(
    (column) => `coalesce(octet_length("${column.replaceAll('"', '""')}"), 0)`,
  )
  return lengths.join(' + ') || '0'
}

/**
 * Connections that were just used, so that listing a database and then reading its sessions opens it once instead of
 * hundreds of times. All are closed as soon as the program waits for something.
 */
const idle = new Map<string, { readonly state: string; readonly database: Database }>()
const MAX_IDLE = 4

function takeIdle(path: string, state: string): Database | undefined {
  const known = idle.get(path)
  if (!known) return undefined
  idle.delete(path)
  if (known.state === state) return known.database
  known.database.close()
  return undefined
}

function putIdle(path: string, state: string, database: Database): void {
  idle.get(path)?.database.close()
  idle.delete(path)
  if (idle.size === 0) setImmediate(closeIdle)
  if (idle.size >= MAX_IDLE) closeIdle()
  idle.set(path, { state, database })
}

function closeIdle(): void {
  for (const { database } of idle.values()) database.close()
  idle.clear()
}

/** Calls `use` with a file that holds the complete database with its WAL: the file itself if there is no WAL. */
export function withDatabaseFile<T>(path: string, use: (file: string) => T): T {
  if (!existsSync(`${path}-wal`) && !existsSync(`${path}-journal`)) return use(path)
  const folder = mkdtempSync(join(tmpdir(), 'ion-copy-'))
  try {
    const copy = join(folder, 'copy.db')
    copyConsistently(path, copy)
    const database = checked(openDatabase(copy))
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      database.close()
    }
    return use(copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** To distinguish schemas before a query names a column. */
export function tableNames(database: Database): Set<string> {
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
  return new Set(rows.map((row) => row.name))
}

export function columnNames(database: Database, table: string): Set<string> {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]
  return new Set(rows.map((row) => row.name))
}

/** Stamps of a database and its WAL: together they show whether anything was written. */
export function databaseStamps(path: string, reading?: ReadContext): FileStamp[] {
  return [stampOf(path, reading), stampOf(`${path}-wal`, reading)].filter((stamp) => stamp !== undefined)
}

/** Changes whenever an open connection might no longer see what is in the files. */
function stateOf(path: string): string {
  return JSON.stringify([...databaseStamps(path), existsSync(`${path}-shm`)])
}

function open(path: string, mayCopy: boolean): Database | Problem {
  try {
    const wal = isWal(path)
    const inPlace = !mayCopy || !wal || (existsSync(`${path}-shm`) && existsSync(`${path}-wal`))
    if (inPlace) {
      try {
        return checked(openDatabase(path, { readOnly: true }), waitingTime(path))
      } catch (error) {
        // A hot journal, or a -shm that Ion may not write: a copy can still be read.
        if (!mayCopy || !isNotAccessible(error)) throw error
      }
    }
    return openCopy(path)
  } catch (error) {
    if (isLocked(error)) lockedAt.set(path, performance.now())
    const found = databaseProblem(path, error, 'cannot open the database')
    return found.code === 'damaged' ? found : { ...found, retryable: true }
  }
}

/** When each database was last found locked. */
const lockedAt = new Map<string, number>()

function waitingTime(path: string): number {
  const at = lockedAt.get(path)
  return at !== undefined && performance.now() - at < PATIENCE_MS ? 0 : BUSY_MS
}

/** Runs a first query, so that a file that is not a database fails here. */
function checked(database: Database, busyMs = BUSY_MS): Database {
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    database.prepare('SELECT count(*) FROM sqlite_master').get()
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

function openCopy(path: string): Database {
  const folder = mkdtempSync(join(tmpdir(), 'ion-read-'))
  try {
    copyConsistently(path, join(folder, 'copy.db'))
    return checked(openDatabase(join(folder, 'copy.db')))
  } finally {
    // The connection has the files open; they are freed when it is closed.
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyConsistently(path: string, copy: string): void {
  for (let tries = 0; tries < COPY_TRIES; tries++) {
    const before = stateOf(path)
    for (const ending of ['', '-wal', '-journal']) {
      rmSync(copy + ending, { force: true })
      if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending)
    }
    // They belong together only if none changed during the copy.
    if (stateOf(path) === before) return
  }
  throw new ReadError('locked', 'it keeps changing while it is copied; try again')
}

/** Byte 18 of the header: 2 when the database is in WAL mode. */
function isWal(path: string): boolean {
  const fd = openRegularFile(path)
  try {
    const header = Buffer.alloc(20)
    readSync(fd, header, 0, 20, 0)
    return header[18] === 2
  } finally {
    closeSync(fd)
  }
}

const EXPLANATIONS: Partial<Record<ProblemCode, string>> = {
  damaged: ' (the file is damaged)',
  locked: ' (another program is writing; try again)',
}

function databaseProblem(path: string, error: unknown, what: string): Problem {
  const found = cannotRead(path, error, what)
  const explanation = isSqliteError(error) ? (EXPLANATIONS[found.code] ?? '') : ''
  return { ...found, problem: found.problem + explanation }
}
