import type { Item, NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type MessageRow, messageColumns, restOfUsage, sessionUsage, subtract, toRecord } from './message-rows.ts'
import { type GooseRecord, recordUsage, toDrafts } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  if (head.format === 'legacy-jsonl')
    return translate(head, keyedLines<GooseRecord>(head.path, reading), toDrafts, reading)
  const records = withNativeDatabase(head.path, (database) => rows(database, head, reading))
  return translate(head, records as Iterable<Keyed<GooseRecord> | NonRecord>, toDrafts, reading)
}

/** In Goose's own order. */
function* rows(database: Database, head: SessionHead, reading: ReadContext): Generator<Keyed<GooseRecord> | NonRecord> {
  const session = head.native_id
  // Queried first: what is added while we read makes the rest too small, never too large.
  let rest = sessionUsage(database, session)
  const statement = database.prepare(
    `SELECT ${messageColumns(database)} FROM messages WHERE session_id = ? ORDER BY created_timestamp, id`,
  )
  for (const row of statement.iterate(session)) {
    const item = toRecord(row as MessageRow, head, reading)
    rest = subtract(rest, recordUsage(item))
    yield item
  }
  yield* restOfUsage(rest, session)
}
