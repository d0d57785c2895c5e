import type { Item, Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { MESSAGE, type MessageRow, PART, type PartRow, toRecord, unreadableMessages } from './message-rows.ts'
import { messageDrafts } from './messages.ts'
import { treeMessages } from './read-tree.ts'
import type { OpenCodeMessage } from './records.ts'

/** A record is a message with its parts: one step of the model, so memory does not grow with the session. */
export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records =
    head.format === 'sqlite'
      ? withNativeDatabase(head.path, (database) => databaseMessages(database, head, reading))
      : treeMessages(head.path, reading)
  return translate(head, records as Iterable<Keyed<OpenCodeMessage> | Problem>, messageDrafts, reading)
}

/** In OpenCode's own order: messages by their time, parts by their id. */
function* databaseMessages(
  database: Database,
  head: SessionHead,
  reading: ReadContext,
): Generator<Keyed<OpenCodeMessage> | Problem> {
  const messages = database.prepare(`SELECT ${MESSAGE} FROM message WHERE session_id = ? ORDER BY time_created, id`)
  const partsOf = database.prepare(`SELECT ${PART} FROM part WHERE message_id = ? ORDER BY id`)
  let empty = true
  for (const value of messages.iterate(head.native_id)) {
    empty = false
    const row = value as MessageRow
    yield* toRecord(row, partsOf.all(row.id) as PartRow[], head, reading)
  }
  if (empty) yield* unreadableMessages(database, head)
}
