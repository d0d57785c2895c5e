import type { SessionHead } from '../../events/session.ts'
import { addedRows } from '../../native/added-rows.ts'
import { FollowedRecords, type SessionRecords } from '../../native/followed-records.ts'
import type { Reading } from '../../native/reading.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { RowStore } from '../row-store.ts'
import { elsewhere, MESSAGE, type MessageRow, PART, type PartRow, toRecord } from './message-rows.ts'
import { messageDrafts } from './messages.ts'
import type { OpenCodeMessage } from './records.ts'

/** OpenCode adds messages and parts, and while it works on a message, changes them in place; also the prompt before it. */
export const rows: RowStore = {
  added: (path, since) => (path.endsWith('.json') ? undefined : addedRows(path, 'part', since)),
  follow(head) {
    if (head.format !== 'sqlite') return undefined
    return new FollowedRecords((database, reading) => records(database, head, reading), messageDrafts)
  },
}

/** Changes with the message and with each of its parts. */
const MARK = `time_updated || ' ' || octet_length(data) || ' ' || (
  SELECT count(*) || ' ' || coalesce(sum(time_updated) || ' ' || sum(octet_length(data)), '')
  FROM part WHERE message_id = message.id)`

function records(database: Database, head: SessionHead, reading: Reading): SessionRecords<OpenCodeMessage> {
  const ofSession = 'FROM message WHERE session_id = ?'
  const order = 'ORDER BY time_created, id'
  const keysOf = database.prepare(`SELECT json_group_array(id) AS list FROM (SELECT id ${ofSession} ${order})`)
  const keysAfter = database.prepare(`
    SELECT json_group_array(id) AS list FROM (SELECT id ${ofSession}
      AND (time_created, id) > (SELECT time_created, id FROM message WHERE id = ?) ${order})`)
  const marksOf = database.prepare(
    `SELECT json_group_array(mark) AS list FROM (SELECT ${MARK} AS mark ${ofSession} ${order})`,
  )
  const markOf = database.prepare(`SELECT ${MARK} AS mark FROM message WHERE id = ?`)
  const rowOf = database.prepare(`SELECT ${MESSAGE} FROM message WHERE id = ?`)
  const partsOf = database.prepare(`SELECT ${PART} FROM part WHERE message_id = ? ORDER BY id`)
  const session = head.native_id
  return {
    keys: (after) => listOf(after === undefined ? keysOf.get(session) : keysAfter.get(session, after)),
    mark: (key) => (markOf.get(key) as { mark: string }).mark,
    marks: () => listOf(marksOf.get(session)),
    read: (key) => toRecord(rowOf.get(key) as MessageRow, partsOf.all(key) as PartRow[], head, reading),
    *end(count) {
      if (count === 0) yield* elsewhere(database, head)
    },
  }
}

function listOf(row: unknown): string[] {
  return JSON.parse((row as { list: string }).list) as string[]
}
