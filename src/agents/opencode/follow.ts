import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordFollower, type SessionRecords } from '../../native/record-follower.ts'
import { addedRows, valuesInOrder } from '../../native/session-rows.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { RowStore } from '../row-store.ts'
import { MESSAGE, type MessageRow, PART, type PartRow, toRecord, unreadableMessages } from './message-rows.ts'
import { messageDrafts } from './messages.ts'
import type { OpenCodeMessage } from './records.ts'

/** OpenCode adds messages and parts, and while it works on a message, changes it and the prompt before it in place. */
export const rows: RowStore = {
  added: (path, since) => (path.endsWith('.json') ? undefined : addedRows(path, 'part', since)),
  follow(head) {
    if (head.format !== 'sqlite') return undefined
    return new RecordFollower((database, reading) => records(database, head, reading), messageDrafts)
  },
}

/** Changes with the message and with each of its parts. */
const MARK = `time_updated || ' ' || octet_length(data) || ' ' || (
  SELECT count(*) || ' ' || coalesce(sum(time_updated) || ' ' || sum(octet_length(data)), '')
  FROM part WHERE message_id = message.id)`

function records(database: Database, head: SessionHead, reading: ReadContext): SessionRecords<OpenCodeMessage> {
  const messages = { table: 'message', time: 'time_created', session: head.native_id }
  const rowOf = database.prepare(`SELECT ${MESSAGE} FROM message WHERE id = ?`)
  const partsOf = database.prepare(`SELECT ${PART} FROM part WHERE message_id = ? ORDER BY id`)
  return {
    keys: (after) => valuesInOrder(database, messages, 'id', after),
    marks: (after) => valuesInOrder(database, messages, MARK, after),
    read: (key) => toRecord(rowOf.get(key) as MessageRow, partsOf.all(key) as PartRow[], head, reading),
    *end(count) {
      if (count === 0) yield* unreadableMessages(database, head)
    },
  }
}
