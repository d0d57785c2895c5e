import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { databaseStamps, inPlace, tableNames, withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { filesIn } from '../../native/walk.ts'
import type { Database } from '../../platform/sqlite.ts'
import { conversationHeads, unknownTables } from '../_shared/conversation-rows.ts'
import type { Source } from '../agent.ts'
import { databasePath, dataFolder } from './paths.ts'

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const path = databasePath(reading.io)
  for (const name of filesIn(dataFolder(reading.io), /^data\.sqlite3$/, reading)) {
    if (typeof name !== 'string') yield name
    else yield { path, files: databaseStamps(path) }
  }
}

export function heads(source: Source): Iterable<SessionHead | Problem> {
  return withNativeDatabase(source.path, (database) => databaseHeads(database, source.path), inPlace)
}

function* databaseHeads(database: Database, path: string): Generator<SessionHead | Problem> {
  yield* unknownTables(database, ['conversations'], path)
  // A database from before there were conversations, or a new one.
  if (!tableNames(database).has('conversations')) return
  for (const found of conversationHeads(database, 'conversations', path)) {
    if (isProblem(found)) yield found
    else {
      yield {
        ...found,
        id: sessionId('amazon-q', found.native_id),
        agent: 'amazon-q',
        path,
        agent_version: null,
        format: 'sqlite',
        resumable: true,
      }
    }
  }
}
