import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'

export type Value = null | number | bigint | string | Uint8Array

/**
 * The part of the API that `node:sqlite` and `@photostructure/sqlite` share and that Ion uses. `iterate` is not in it: an
 * iterator that is open while other code runs keeps a lock, ends early when its statement is used again, and crashed the
 * process with Node 20's package. For many rows see `eachRow` in src/native/.
 */
export interface Statement {
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
  setReadBigInts(on: boolean): void
}

export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database
}

let driver: Driver | undefined

/** One SQLite for every Node: the one built in (22.13 and later), else a package that brings its own binaries. */
function load(): Driver {
  driver ??= (process.getBuiltinModule?.('node:sqlite') as Driver | undefined) ?? loadPackage()
  return driver
}

const PACKAGE = '@photostructure/sqlite'

/**
 * The package's binary without its wrapper, which adds nothing that Ion uses and takes as long to load as opening an index and
 * listing it. If this system has no such binary, or it cannot be loaded, the wrapper decides.
 */
function loadBinary(load: NodeJS.Require): Driver | undefined {
  // The C library that most Linux systems have; the package knows how to recognise the other one.
  if (existsSync('/etc/alpine-release')) return undefined
  const binary = join(
    PACKAGE,
    'prebuilds',
    `${process.platform}-${process.arch}`,
    `${PACKAGE.replace('/', '+')}.glibc.node`,
  )
  const path = load.resolve
    .paths(PACKAGE)
    ?.map((folder) => join(folder, binary))
    .find(existsSync)
  if (path === undefined) return undefined
  const loaded = { exports: {} }
  try {
    process.dlopen(loaded, path)
    return loaded.exports as Driver
  } catch {
    return undefined
  }
}

function loadPackage(): Driver {
  // The program is CommonJS, where this is its path: making one of the URL takes as long as loading the binary.
  const isPath = typeof __filename === 'string' && isAbsolute(__filename)
  const load = createRequire(isPath ? __filename : import.meta.url)
  const { DatabaseSync } = loadBinary(load) ?? (load(PACKAGE) as Driver)
  /** In the package a statement does not keep its database alive; using it after that was collected crashes the process. */
  class KeptDatabase extends DatabaseSync {
    override prepare(sql: string): Statement {
      return Object.defineProperty(super.prepare(sql), 'database', { value: this })
    }
  }
  return { DatabaseSync: KeptDatabase }
}

export function openDatabase(path: string, options: { readOnly?: boolean } = {}): Database {
  const { DatabaseSync } = load()
  return new DatabaseSync(path, { readOnly: options.readOnly ?? false })
}

/** Runs `body` in a write transaction. */
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
      // Some errors, such as a full disk, have already ended the transaction; the first error is the one to report.
    }
    throw error
  }
}

/**
 * SQLite's result codes, each with its own text (`sqlite3_errstr`): for Node 20's package, which drops the code of an error
 * that occurs while rows are read. Both drivers set `code` to ERR_SQLITE_ERROR.
 */
const CODES = {
  BUSY: [5, 'database is locked'],
  LOCKED: [6, 'database table is locked'],
  READONLY: [8, 'attempt to write a readonly database'],
  IOERR: [10, 'disk I/O error'],
  CORRUPT: [11, 'database disk image is malformed'],
  FULL: [13, 'database or disk is full'],
  CANTOPEN: [14, 'unable to open database file'],
  NOTADB: [26, 'file is not a database'],
} as const

/** Reading past the end of a file that was cut off. Every other I/O error is the disk's. */
const IOERR_SHORT_READ = 522

export function isSqliteError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SQLITE_ERROR'
}

function hasCode(error: unknown, ...codes: readonly (keyof typeof CODES)[]): boolean {
  if (!isSqliteError(error)) return false
  const { errcode, message } = error as Error & { errcode?: number }
  return codes.some((name) => {
    const [code, text] = CODES[name]
    // The lowest byte is the result code, whatever the extended one is.
    return errcode === undefined ? message === text : code === (errcode & 0xff)
  })
}

/** Another connection has the database locked. */
export function isLocked(error: unknown): boolean {
  return hasCode(error, 'BUSY', 'LOCKED')
}

/** The file is damaged, or is not a database. A mistake in a query is neither. */
export function isDamaged(error: unknown): boolean {
  return (
    hasCode(error, 'CORRUPT', 'NOTADB') || (error as { errcode?: number } | undefined)?.errcode === IOERR_SHORT_READ
  )
}

/** The disk is full or failing, or the file may not be written or opened. */
export function isDiskTrouble(error: unknown): boolean {
  return hasCode(error, 'FULL', 'IOERR', 'READONLY', 'CANTOPEN')
}

export function isDatabaseFull(error: unknown): boolean {
  return hasCode(error, 'FULL')
}

/** The file cannot be opened in place: it, or a file that SQLite needs beside it, may not be written or created. */
export function isNotAccessible(error: unknown): boolean {
  return hasCode(error, 'READONLY', 'CANTOPEN')
}
