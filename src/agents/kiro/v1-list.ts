import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { tableNames } from '../../native/database.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type ConversationTable, conversationHeads, unknownTables } from '../_shared/conversation-rows.ts'

/** The format names the table for reading. */
export const tables: readonly { readonly table: ConversationTable; readonly format: string }[] = [
  { table: 'conversations_v2', format: 'v1-sqlite' },
  { table: 'conversations', format: 'v1-sqlite-by-folder' },
]

/** The older table has one conversation per folder; what was migrated to the newer one is listed from there. */
export function* v1Heads(database: Database, path: string): Generator<SessionHead | Problem> {
  const present = tableNames(database)
  yield* unknownTables(
    database,
    tables.map(({ table }) => table),
    path,
  )
  const listed = new Set<string>()
  for (const { table, format } of tables) {
    if (!present.has(table)) continue
    for (const found of conversationHeads(database, table, path)) {
      if (isProblem(found)) yield found
      else if (!listed.has(found.native_id)) {
        listed.add(found.native_id)
        yield {
          ...found,
          id: sessionId('kiro', found.native_id),
          agent: 'kiro',
          path,
          agent_version: null,
          format,
          resumable: table === 'conversations_v2',
        }
      }
    }
  }
}
