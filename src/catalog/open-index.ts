import { type Database, openDatabase } from '../platform/sqlite.ts'
import { enterWalMode } from '../platform/wal-mode.ts'
import { CATALOG_VERSION } from './schema.ts'

const BUSY_MS = 10_000

/** Opens the file as it must be used, and undefined if it has another version. An empty one gets its tables by `create`. */
export function openIndex(path: string, create: (database: Database) => void): Database | undefined {
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    enterWalMode(database, BUSY_MS)
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -16000')
    if (versionOf(database) === 0) create(database)
    if (versionOf(database) === CATALOG_VERSION) return database
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

export function versionOf(database: Database): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}
