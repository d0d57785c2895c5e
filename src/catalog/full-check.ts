import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Freshness } from './catalog.ts'
import { getMeta, setMeta } from './meta.ts'

const FULL_CHECK = 'full-check'
/** The time of a full check is not written more often than this: most runs write nothing. */
const FULL_CHECK_MS = 30_000

/** Returns whether it was time to write it. */
export function recordFullCheck(database: Database, io: Io): boolean {
  const now = io.now()
  const before = getMeta(database, FULL_CHECK)
  if (before !== undefined && now.getTime() - Date.parse(before) <= FULL_CHECK_MS) return false
  setMeta(database, FULL_CHECK, now.toISOString())
  return true
}

export function freshnessOf(
  database: Database,
  { checked, known }: Pick<Freshness, 'checked' | 'known'>,
  isFull: boolean,
  io: Io,
): Freshness {
  const fullCheckAt = isFull ? io.now().toISOString() : (getMeta(database, FULL_CHECK) ?? null)
  return { checked, known, fullCheckAt }
}
