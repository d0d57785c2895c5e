import type { Database } from '../platform/sqlite.ts'

/** A value in the table `meta`; undefined if it is not set. */
export function getMeta(database: Database, key: string): string | undefined {
  return (database.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value
}

export function setMeta(database: Database, key: string, value: string): void {
  database.prepare('INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)').run(key, value)
}
