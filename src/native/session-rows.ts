import { isProblem } from '../events/item.ts'
import type { Database } from '../platform/sqlite.ts'
import { withNativeDatabase } from './database.ts'
import { named } from './rows.ts'

/** Sessions with rows added since `since`, and the value to pass as `since` the next time. */
export interface AddedRows {
  readonly until: number
  readonly sessions: readonly string[]
}

/** The sessions that got rows in a table: those with a rowid above `since`. */
export function addedRows(path: string, table: string, since: number | undefined): AddedRows | undefined {
  const found = withNativeDatabase(path, (database) => {
    const last = database.prepare(`SELECT coalesce(max(rowid), 0) AS until FROM ${named(table)}`).get()
    const { until } = last as { until: number }
    if (since === undefined || until === since) return [{ until, sessions: [] }]
    const rows = database.prepare(`SELECT DISTINCT session_id AS id FROM ${named(table)} WHERE rowid > ?`).all(since)
    return [{ until, sessions: rows.map((row) => String((row as { id: unknown }).id)) }]
  })
  const [added] = found
  return added && !isProblem(added) ? added : undefined
}

/** Rows of one session, ordered by a time and then by id. */
export interface OrderedRows {
  readonly table: string
  readonly time: string
  readonly session: string
}

/** The value of an expression for each of those rows, or for those after the one with that id, in order. */
export function valuesInOrder<T>(
  database: Database,
  { table, time, session }: OrderedRows,
  expression: string,
  after?: string | bigint,
): T[] {
  const later = after === undefined ? '' : `AND (${time}, id) > (SELECT ${time}, id FROM ${table} WHERE id = ?)`
  const rows = `SELECT ${expression} AS value FROM ${table} WHERE session_id = ? ${later} ORDER BY ${time}, id`
  // As one JSON text: a result row for each takes ten times as long.
  const statement = database.prepare(`SELECT json_group_array(value) AS list FROM (${rows})`)
  const { list } = statement.get(session, ...(after === undefined ? [] : [after])) as { list: string }
  return JSON.parse(list) as T[]
}
