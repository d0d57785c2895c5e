import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProblem, type Problem } from '../events/item.ts'
import { messageOf } from '../platform/error.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { type FileStamp, stampOf } from './walk.ts'

const BUSY_MS = 2000
const COPY_TRIES = 5

/**
 * Opens another program's database to read, sees what is still in its WAL, and changes nothing there:
 * - in use (there are `-wal` and `-shm`), or not in WAL mode: opened in place, read-only, waiting a moment for a writer;
 * - WAL mode and nobody has it open: SQLite would have to create `-wal` and `-shm` beside it, so Ion reads a private
 *   copy of the database and its WAL, taken together.
 * Never `immutable`: that would not see the WAL. The body runs while it is open; a failure is one problem.
 */
export function* withNativeDatabase<T>(
  path: string,
  body: (database: Database) => Iterable<T>,
): Generator<T | Problem> {
  const opened = open(path)
  if (isProblem(opened)) {
    yield opened
    return
  }
  try {
    yield* body(opened)
  } catch (error) {
    yield { problem: `cannot read the database: ${explain(error)}`, path }
  } finally {
    opened.close()
  }
}

/** Names of the tables, to tell one schema from another before asking for a column. */
export function tableNames(database: Database): Set<string> {
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
  return new Set(rows.map((row) => row.name))
}

export function columnNames(database: Database, table: string): Set<string> {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]
  return new Set(rows.map((row) => row.name))
}

/** Stamps of a database and its WAL: together they tell whether anything was written. */
export function databaseStamps(path: string): FileStamp[] {
  return [stampOf(path), stampOf(`${path}-wal`)].filter((stamp) => stamp !== undefined)
}

function open(path: string): Database | Problem {
  try {
    const inPlace = !isWal(path) || (existsSync(`${path}-shm`) && existsSync(`${path}-wal`))
    if (inPlace) {
      try {
        return checked(openDatabase(path, { readOnly: true }))
      } catch (error) {
        // A hot journal, or a -shm that is not ours to write: a copy can still be read.
        if (!/readonly|unable to open|cantopen/i.test(messageOf(error))) throw error
      }
    }
    return openCopy(path)
  } catch (error) {
    return { problem: `cannot open the database: ${explain(error)}`, path }
  }
}

/** A first query, so that what is no database fails here and not later. */
function checked(database: Database): Database {
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    database.prepare('SELECT count(*) FROM sqlite_master').get()
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** The last copy of each database: as long as the original stays as it was, it serves again. */
const copies = new Map<string, { readonly stamps: string; readonly folder: string }>()

function openCopy(path: string): Database {
  return checked(openDatabase(join(currentCopy(path), 'copy.db')))
}

function currentCopy(path: string): string {
  const known = copies.get(path)
  if (known?.stamps === stampText(path)) return known.folder
  if (copies.size === 0) process.once('exit', removeCopies)
  if (known) rmSync(known.folder, { recursive: true, force: true })
  const folder = mkdtempSync(join(tmpdir(), 'ion-read-'))
  copies.set(path, { folder, stamps: '' })
  for (let tries = 0; tries < COPY_TRIES; tries++) {
    const before = stampText(path)
    for (const ending of ['', '-wal', '-journal']) {
      rmSync(join(folder, `copy.db${ending}`), { force: true })
      if (existsSync(path + ending)) copyFileSync(path + ending, join(folder, `copy.db${ending}`))
    }
    // The parts are only good together when none moved while we copied.
    if (stampText(path) !== before) continue
    copies.set(path, { folder, stamps: before })
    return folder
  }
  throw new Error('it keeps changing while it is copied; try again')
}

function removeCopies(): void {
  for (const { folder } of copies.values()) rmSync(folder, { recursive: true, force: true })
  copies.clear()
}

function stampText(path: string): string {
  return JSON.stringify(databaseStamps(path))
}

/** Byte 18 of the header: 2 when the database is in WAL mode. */
function isWal(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    readSync(fd, header, 0, 20, 0)
    return header[18] === 2
  } finally {
    closeSync(fd)
  }
}

function explain(error: unknown): string {
  const message = messageOf(error)
  if (/not a database|malformed|corrupt/i.test(message)) return `${message} (the file is damaged)`
  if (/locked|busy/i.test(message)) return `${message} (another program is writing; try again)`
  return message
}
