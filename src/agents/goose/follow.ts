import type { SessionHead } from '../../events/session.ts'
import { addedRows } from '../../native/added-rows.ts'
import { columnNames } from '../../native/database.ts'
import { FollowedRecords, type SessionRecords } from '../../native/followed-records.ts'
import type { Reading } from '../../native/reading.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { RowStore } from '../row-store.ts'
import { type MessageRow, messageColumns, restOfUsage, sessionUsage, subtract, toRecord } from './message-rows.ts'
import { type GooseRecord, type GooseUsage, recordUsage, toDrafts } from './records.ts'

/** Goose adds rows, and when it compacts, deletes all and adds them again under new numbers. */
export const rows: RowStore = {
  added: (path, since) => (path.endsWith('.db') ? addedRows(path, 'messages', since) : undefined),
  follow(head) {
    if (head.format !== 'sqlite') return undefined
    const usages = new Map<string, GooseUsage | undefined>()
    return new FollowedRecords((database, reading) => records(database, head, reading, usages), toDrafts)
  },
}

/** `usages`: of each row that was read. */
function records(
  database: Database,
  head: SessionHead,
  reading: Reading,
  usages: Map<string, GooseUsage | undefined>,
): SessionRecords<GooseRecord> {
  const session = head.native_id
  const columns = columnNames(database, 'messages')
  const lengths = ['content_json', 'metadata_json'].filter((name) => columns.has(name))
  const id = columns.has('message_id') ? "coalesce(message_id, '')" : "''"
  // Lengths stand in the row itself; for the bodies of large ones SQLite would have to go through more pages.
  const mark = [id, ...lengths.map((name) => `coalesce(octet_length(${name}), '')`)].join(" || ' ' || ")
  const inOrder = `FROM messages WHERE session_id = ? ORDER BY created_timestamp, id`
  const keysOf = database.prepare(`SELECT json_group_array(id) AS list FROM (SELECT id ${inOrder})`)
  const marksOf = database.prepare(`SELECT json_group_array(mark) AS list FROM (SELECT ${mark} AS mark ${inOrder})`)
  const markOf = database.prepare(`SELECT ${mark} AS mark FROM messages WHERE id = ?`)
  const rowOf = database.prepare(`SELECT ${messageColumns(database)} FROM messages WHERE id = ?`)
  return {
    keys: () => (JSON.parse((keysOf.get(session) as List).list) as number[]).map(String),
    mark: (key) => (markOf.get(BigInt(key)) as { mark: string }).mark,
    marks: () => JSON.parse((marksOf.get(session) as List).list) as string[],
    read(key) {
      const item = toRecord(rowOf.get(BigInt(key)) as MessageRow, head, reading)
      usages.set(key, recordUsage(item))
      return [item]
    },
    end(keys) {
      let rest = sessionUsage(database, session)
      for (const key of keys) rest = subtract(rest, usages.get(key))
      return restOfUsage(rest, session)
    },
  }
}

interface List {
  readonly list: string
}
