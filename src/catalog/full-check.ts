import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Freshness } from './catalog.ts'
import { getMeta, setMeta } from './meta.ts'

export const FULL_CHECK = 'full-check'
/** Its time is not written more often than this: most runs write nothing. */
const FULL_CHECK_MS = 30_000

/** Whether the last full check, at that time, was a while ago. A clock that was set back makes it due. */
export function isFullCheckDue(last: string | undefined, io: Io): boolean {
  return last === undefined || Math.abs(io.now().getTime() - Date.parse(last)) > FULL_CHECK_MS
}

/** Returns whether it was time to write it. */
export function recordFullCheck(database: Database, io: Io): boolean {
  if (!isFullCheckDue(getMeta(database, FULL_CHECK), io)) return false
  setMeta(database, FULL_CHECK, io.now().toISOString())
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
