import { chmodSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { privateFolder } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { type Database, isDamaged, isDatabaseFull, isDiskTrouble, isLocked, transaction } from '../platform/sqlite.ts'
import { sleepSync } from '../platform/wait.ts'
import { errnoOf } from '../platform/write-hint.ts'
import { withBuildLock } from './build-lock.ts'
import { catalogPath, IN_MEMORY } from './index-file.ts'
import { LIST_ENDING } from './list-file.ts'
import { openIndex, versionOf } from './open-index.ts'
import { CATALOG_VERSION, tables } from './schema.ts'

/** Files of the index in Ion's home, of any version: before version 4 the name had no number. */
export const INDEX_FILE = /^catalog(\.\d+)?\.db/

/**
 * Opens the index at `path`, creating it if necessary. A damaged one is deleted and rebuilt with one line to `onNotice`:
 * nothing is lost, everything in it comes from the agents' stores.
 */
export function connect(path: string, onNotice: (line: string) => void, failures = 0): Database {
  if (path === IN_MEMORY) return prepared(path)!
  try {
    privateFolder(dirname(path))
  } catch (error) {
    throw new UnusableIndex(path, error)
  }
  const file = fileAt(path)
  if (file === undefined) return rebuild(path, file)
  try {
    const database = prepared(path)
    if (database) return database
    onNotice('the index has an unexpected version; rebuilding it')
  } catch (error) {
    // Deleted by another process just now.
    if (fileAt(path) !== file || isMissing(error)) return rebuild(path, file)
    if (isWorthReopening(error, failures)) return connect(path, onNotice, failures + 1)
    if (!isDamaged(error)) throw new UnusableIndex(path, error)
    onNotice(`the index is damaged (${messageOf(error)}); rebuilding it`)
  }
  return rebuild(path, file)
}

/** The work that is repeated may be long. */
const MAX_REOPENS = 2

/**
 * Whether the disk only seems to fail because another process deleted the index or a file beside it: worth opening it
 * again. A disk that really fails does so again.
 */
export function isWorthReopening(error: unknown, failures: number): boolean {
  return isDiskTrouble(error) && !isDatabaseFull(error) && failures < MAX_REOPENS
}

/** Identifies the file at this path, to notice when it is replaced; undefined if there is none. */
export function fileAt(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** Other processes replace the index too, but nobody does so all the time. */
export const MAX_TRIES = 5

/** Replaces the file identified by `bad`, or creates one; another process may have done so in the meantime. */
export function rebuild(path: string, bad: string | undefined): Database {
  try {
    return withBuildLock(path, () => {
      let unwanted = bad
      let why: unknown = 'another process keeps replacing it'
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        if (fileAt(path) === unwanted) discard(path)
        try {
          const database = prepared(path)
          if (database) return database
        } catch (error) {
          // A file that is deleted while it is created looks like a failing disk; a disk that fails does so again.
          if (!isDamaged(error) && !isDiskTrouble(error) && !isLocked(error) && !isMissing(error)) throw error
          why = error
        }
        sleepSync(2 ** tries)
        unwanted = fileAt(path)
      }
      throw why
    })
  } catch (error) {
    if (error instanceof IonError && error.kind === 'refused') throw error
    throw new UnusableIndex(path, error)
  }
}

/** Deletes the index. A process that has it open continues with the deleted file, which does no harm. */
export function discardCatalog(io: Io): void {
  const path = catalogPath(io)
  if (fileAt(path) !== undefined) withBuildLock(path, () => discard(path))
}

/** A SQLite database, the files that SQLite keeps beside it, and the list file. */
const ENDINGS = ['', '-wal', '-shm', LIST_ENDING]
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000

/** Deletes the indexes of other versions of Ion that nobody has used for a month: each use of one writes to it. */
export function discardUnused(io: Io): void {
  const home = ionHome(io)
  const oldest = io.now().getTime() - UNUSED_MS
  for (const name of listNames(home)) {
    const path = join(home, name)
    if (!INDEX_FILE.test(name) || !name.endsWith('.db') || path === catalogPath(io)) continue
    const times = ENDINGS.map((ending) => statSync(path + ending, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (Math.max(...times) >= oldest) continue
    discard(path)
    rmSync(`${path}.lease`, { recursive: true, force: true })
  }
}

/** Also its shared memory, which SQLite would apply to the next file of that name. */
function discard(path: string): void {
  for (const ending of ENDINGS) rmSync(path + ending, { force: true })
}

/** Undefined if the index there has another version. */
function prepared(path: string): Database | undefined {
  return openIndex(path, (database) => create(database, path))
}

/** Two processes may get here at once: the second finds the tables when it gets the lock. */
function create(database: Database, path: string): void {
  if (path !== IN_MEMORY) chmodSync(path, 0o600)
  transaction(database, () => {
    if (versionOf(database) === 0) database.exec(`${tables}; PRAGMA user_version = ${CATALOG_VERSION}`)
  })
}

/** Nobody could write there, whatever the disk and the rights: most likely a mistake in `ION_HOME`. */
const NO_FOLDER: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']

/** More space would not help. */
const FORBIDDEN: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS']

/** The index cannot be kept on this disk: it is full or failing, or may not be written. */
export class UnusableIndex extends IonError {
  readonly reason: string
  /** There can be no folder in this place. */
  readonly isImpossible: boolean

  constructor(path: string, cause: unknown) {
    const errno = errnoOf(cause)
    const isImpossible = NO_FOLDER.includes(errno)
    const mayBeFull = !isImpossible && !FORBIDDEN.includes(errno)
    super('failed', `cannot use the index ${path}: ${messageOf(cause)}`, {
      hint: `set ION_HOME to a folder that you can write to${mayBeFull ? ', or free some disk space' : ''}`,
      cause,
    })
    this.reason = messageOf(cause)
    this.isImpossible = isImpossible
  }
}
