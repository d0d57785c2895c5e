import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Freshness } from './catalog.ts'
import { getMeta, setMeta } from './meta.ts'

export const FULL_CHECK = 'full-check'
/** Its time is not written more often than this: most runs write nothing. */
const FULL_CHECK_MS = 30_000

/** Up to this many sources, of the smaller stores first, are compared each time: some eight microseconds for each. */
const COMPARE_ALL = 250
/** And up to this many if they were not for a while: an old session that is continued is soon noticed. */
const COMPARE_ALL_WHEN_DUE = 5000

/** With so few sources every check is a full one, and its time need not be recorded. */
export function isAlwaysFull({ known }: { readonly known: number }): boolean {
  return known <= COMPARE_ALL
}

/** How many sources may be compared now, given when all of them last were. */
export function compareLimit(stores: readonly { readonly known: number }[], last: string | null, io: Io): number {
  const known = stores.reduce((sum, store) => sum + store.known, 0)
  return !isAlwaysFull({ known }) && isDue(last, io) ? COMPARE_ALL_WHEN_DUE : COMPARE_ALL
}

/** Whether the last full check, at that time, was a while ago. A clock that was set back makes it due. */
function isDue(last: string | null, io: Io): boolean {
  return last === null || Math.abs(io.now().getTime() - Date.parse(last)) > FULL_CHECK_MS
}

/** Returns whether it was time to write it. */
export function recordFullCheck(database: Database, io: Io): boolean {
  if (!isDue(lastFullCheck(database), io)) return false
  setMeta(database, FULL_CHECK, io.now().toISOString())
  return true
}

export function lastFullCheck(database: Database): string | null {
  return getMeta(database, FULL_CHECK) ?? null
}

export function freshnessOf(
  { checked, known }: Pick<Freshness, 'checked' | 'known'>,
  isFull: boolean,
  last: string | null,
  io: Io,
): Freshness {
  return { checked, known, fullCheckAt: isFull ? io.now().toISOString() : last }
}
