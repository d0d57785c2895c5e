import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { type Database, openDatabase } from '../platform/sqlite.ts'
import { withBuildLock } from './build-lock.ts'
import { CATALOG_VERSION, tables } from './schema.ts'

export function catalogPath(io: Io): string {
  return join(ionHome(io), 'catalog.db')
}

/**
 * Opens the catalogue, making it where there is none. A damaged one, or one of another version, is thrown away and made
 * anew with one line to `onNotice`: nothing is lost, everything in it comes from the agents' stores.
 */
export function connect(io: Io, onNotice: (line: string) => void): Database {
  const path = catalogPath(io)
  try {
    mkdirSync(ionHome(io), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(path, error)
  }
  const file = fileAt(path)
  if (file === undefined) return rebuild(path, file)
  try {
    const database = prepared(path)
    if (database) return database
    onNotice('the catalogue is of another version of Ion; building it again')
  } catch (error) {
    // Somebody deleted it at this moment: there is none.
    if (fileAt(path) !== file || isMissing(error)) return rebuild(path, file)
    if (!isDamage(error)) throw unusable(path, error)
    onNotice(`the catalogue is damaged (${messageOf(error)}); building it again`)
  }
  return rebuild(path, file)
}

/** What tells one file at the same path from another; undefined where there is none. */
export function fileAt(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

const MOST_TRIES = 5

/** Instead of `bad`, or where there was none; another process may have done it meanwhile. */
export function rebuild(path: string, bad: string | undefined): Database {
  try {
    return withBuildLock(path, () => {
      let unwanted = bad
      let why: unknown = 'another Ion of another version keeps making it'
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        if (fileAt(path) === unwanted) discard(path)
        try {
          const database = prepared(path)
          if (database) return database
        } catch (error) {
          // Taken away while it was made, it looks like a failing disk; one that really fails does so again.
          if (!isDamage(error) && !isDiskTrouble(error) && !isMissing(error)) throw error
          why = error
        }
        unwanted = fileAt(path)
      }
      throw why
    })
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Throws the catalogue away. Whoever has it open works on with what is no longer there, and does no harm. */
export function discardCatalog(io: Io): void {
  const path = catalogPath(io)
  if (fileAt(path) !== undefined) withBuildLock(path, () => discard(path))
}

/** Also what was left beside a catalogue that somebody deleted: its shared memory would be taken for that of the next. */
function discard(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
}

/** Undefined when the catalogue there is of another version. */
function prepared(path: string): Database | undefined {
  const database = openDatabase(path)
  try {
    database.exec(
      'PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000',
    )
    const found = versionOf(database)
    if (found === CATALOG_VERSION) return database
    if (found === 0) {
      create(database, path)
      return database
    }
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

/** Two processes may get here at once: the second finds the tables when it gets the lock. */
function create(database: Database, path: string): void {
  chmodSync(path, 0o600)
  transaction(database, () => {
    if (versionOf(database) === 0) database.exec(`${tables}; PRAGMA user_version = ${CATALOG_VERSION}`)
  })
}

function versionOf(database: Database): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}

/** A read past the end of a file that was cut off; every other I/O error is the disk's. */
const SHORT_READ = 522

export function isDamage(error: unknown): boolean {
  if ((error as { errcode?: number }).errcode === SHORT_READ) return true
  return /not a database|malformed|corrupt|no such table|no such column|vtable constructor|fts5 file format|already exists/i.test(
    messageOf(error),
  )
}

/** The disk is full, fails, or may not be written. */
export function isDiskTrouble(error: unknown): boolean {
  return /disk is full|disk I\/O error|readonly database|unable to open/i.test(messageOf(error))
}

export function unusable(path: string, cause: unknown): IonError {
  return new IonError('failed', `cannot use the catalogue ${path}: ${messageOf(cause)}`, {
    hint: 'set ION_HOME to a folder that you may write to, or free some disk space',
    cause,
  })
}

/** Runs `body` in a write transaction of its own. */
export function transaction<T>(database: Database, body: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = body()
    database.exec('COMMIT')
    return result
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // Some errors, such as a full disk, have ended the transaction already; they are the ones to tell.
    }
    throw error
  }
}
