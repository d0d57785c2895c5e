import { type Database, isLocked } from './sqlite.ts'
import { sleepSync } from './wait.ts'

const RETRY_MS = 5

/** Switches to WAL mode. While another process creates the same database, SQLite refuses that without waiting. */
export function enterWalMode(database: Database, waitMs: number): void {
  const end = performance.now() + waitMs
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isLocked(error) || performance.now() > end) throw error
    }
    sleepSync(RETRY_MS)
  }
}
