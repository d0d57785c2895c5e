import type { SessionHead } from '../../events/session.ts'
import { columnNames } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordFollower, type SessionRecords } from '../../native/record-follower.ts'
import { addedRows, valuesInOrder } from '../../native/session-rows.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { RowStore } from '../row-store.ts'
import { type MessageRow, messageColumns, restOfUsage, sessionSpent, subtract, toRecord } from './read.ts'
import { type GooseRecord, recordSpent, type Spent, toDrafts } from './records.ts'

/** Goose adds rows, and when it compacts, deletes all and inserts them again under new numbers. */
export const rows: RowStore = {
  added: (path, since) => (path.endsWith('.db') ? addedRows(path, 'messages', since) : undefined),
  follow(head) {
    if (head.format !== 'sqlite') return undefined
    const usages = new Map<string, Spent>()
    return new RecordFollower((database, reading) => records(database, head, reading, usages), toDrafts)
  },
}

/** `usages`: the usage of each row that was read. */
function records(
  database: Database,
  head: SessionHead,
  reading: ReadContext,
  usages: Map<string, Spent>,
): SessionRecords<GooseRecord> {
  const session = head.native_id
  const columns = columnNames(database, 'messages')
  const lengths = ['content_json', 'metadata_json'].filter((name) => columns.has(name))
  const id = columns.has('message_id') ? "coalesce(message_id, '')" : "''"
  // Lengths are in the row itself; for large bodies SQLite would have to read more pages.
  const mark = [id, ...lengths.map((name) => `coalesce(octet_length(${name}), '')`)].join(" || ' ' || ")
  const messages = { table: 'messages', time: 'created_timestamp', session }
  const list = <T>(what: string, after: string | undefined): T[] =>
    valuesInOrder(database, messages, what, after === undefined ? undefined : BigInt(after))
  const rowOf = database.prepare(`SELECT ${messageColumns(database)} FROM messages WHERE id = ?`)
  return {
    keys: (after) => list<number>('id', after).map(String),
    marks: (after) => list<string>(mark, after),
    read(key) {
      const item = toRecord(rowOf.get(BigInt(key)) as MessageRow, head, reading)
      const spent = recordSpent(item)
      if (spent) usages.set(key, spent)
      return [item]
    },
    forget: (key) => usages.delete(key),
    end() {
      let rest = sessionSpent(database, session)
      for (const spent of usages.values()) rest = subtract(rest, spent)
      return restOfUsage(rest, session)
    },
  }
}
