import type { Problem } from '../../events/item.ts'
import { inPlace, tableNames, withNativeDatabase } from '../../native/database.ts'
import type { Database } from '../../platform/sqlite.ts'

/** A row as it is, enough to restore it. */
export interface ConversationRow {
  readonly table: 'conversations'
  /** The folder. */
  readonly key: string
  readonly value: string
}

/** The only conversation of a folder; nothing where there is none. No other table is queried. */
export function conversationOf(folder: string, path: string): Iterable<ConversationRow | Problem> {
  return withNativeDatabase(
    path,
    (database) =>
      select(database, 'value', folder).map(({ value }): ConversationRow => {
        return { table: 'conversations', key: folder, value: String(value) }
      }),
    inPlace,
  )
}

/** The number of entries in its history; nothing where there is none or it is not a conversation. */
export function historyLength(folder: string, path: string): Iterable<number | Problem> {
  const length = "CASE WHEN json_valid(value) THEN json_array_length(value, '$.history') END"
  return withNativeDatabase(
    path,
    (database) => select(database, length, folder).flatMap(({ value }) => (typeof value === 'number' ? [value] : [])),
    inPlace,
  )
}

function select(database: Database, what: string, folder: string): { value: unknown }[] {
  if (!tableNames(database).has('conversations')) return []
  return database.prepare(`SELECT ${what} AS value FROM conversations WHERE key = ?`).all(folder) as {
    value: unknown
  }[]
}
