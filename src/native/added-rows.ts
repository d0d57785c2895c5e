import { isProblem } from '../events/item.ts'
import { withNativeDatabase } from './database.ts'
import { named } from './rows.ts'

/** The sessions that rows of a table were added to: those with a higher number than the highest of before. */
export function addedRows(
  path: string,
  table: string,
  since: number | undefined,
): { readonly until: number; readonly sessions: readonly string[] } | undefined {
  const found = withNativeDatabase(path, (database) => {
    const { until } = database.prepare(`SELECT coalesce(max(rowid), 0) AS until FROM ${named(table)}`).get() as Until
    if (since === undefined || until === since) return [{ until, sessions: [] }]
    const rows = database.prepare(`SELECT DISTINCT session_id AS id FROM ${named(table)} WHERE rowid > ?`).all(since)
    return [{ until, sessions: rows.map((row) => String((row as { id: unknown }).id)) }]
  })
  for (const one of found) return isProblem(one) ? undefined : one
  return undefined
}

interface Until {
  readonly until: number
}
