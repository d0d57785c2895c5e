import type { Item, Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import {
  bounded,
  eachRow,
  requireReadable,
  rowBytes,
  storedTexts,
  tableNames,
  withNativeDatabase,
} from '../../native/database.ts'
import { asObject, parsedObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordFollower, type SessionRecords } from '../../native/record-follower.ts'
import { addedRows, valuesInOrder } from '../../native/session-rows.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { uncountedIn } from '../../native/usage.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { RowStore } from '../row-store.ts'
import { messageDrafts } from './messages.ts'
import type { Json, OpenCodeMessage } from './records.ts'
import { treeMessages } from './tree.ts'

/** A record is a message with its parts: one step of the model, so memory does not grow with the session. */
export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records =
    head.format === 'sqlite'
      ? withNativeDatabase(head.path, (database) => databaseMessages(database, head, reading))
      : treeMessages(head.path, reading)
  return translate(
    head,
    records as Iterable<Keyed<OpenCodeMessage> | Problem>,
    (message, key) =>
      messageDrafts(message, reading.onUncounted && uncountedIn(reading, key, asObject(message.info.time)?.created)),
    reading,
  )
}

/** Everything that `read` makes text of. */
export function textRows({ path, native_id, format }: SessionHead): Iterable<Uint8Array | Problem> | undefined {
  if (format !== 'sqlite') return undefined
  const [column, values] = ['data', [native_id]]
  const ofMessages = 'WHERE message_id IN (SELECT id FROM message WHERE session_id = ?)'
  return withNativeDatabase(path, function* (database) {
    yield* storedTexts(database, { path, column, table: 'message', which: 'WHERE session_id = ?', values })
    yield* storedTexts(database, { path, column, table: 'part', which: ofMessages, values })
  })
}

/** In OpenCode's own order: messages by their time, parts by their id. */
function* databaseMessages(
  database: Database,
  head: SessionHead,
  reading: ReadContext,
): Generator<Keyed<OpenCodeMessage> | Problem> {
  const messages = eachRow(database, {
    table: 'message',
    columns: messageColumns(database),
    which: 'WHERE session_id = ? ORDER BY time_created, id',
    values: [head.native_id],
    // Each becomes a problem of its own.
    maxBytes: Number.POSITIVE_INFINITY,
  })
  const partsOf = database.prepare(`SELECT ${partColumns(database)} FROM part WHERE message_id = ? ORDER BY id`)
  let empty = true
  for (const value of messages) {
    empty = false
    const row = value as MessageRow
    yield* toRecord(row, partsOf.all(row.id) as PartRow[], head, reading)
  }
  if (empty) yield* unreadableMessages(database, head)
}

/** OpenCode adds messages and parts, and while it works on a message, changes it and the prompt before it in place. */
export const rows: RowStore = {
  added: (path, since) => (path.endsWith('.json') ? undefined : addedRows(path, 'part', since)),
  follow(head) {
    if (head.format !== 'sqlite') return undefined
    return new RecordFollower(
      (database, reading) => records(database, head, reading),
      (message) => messageDrafts(message),
    )
  },
}

/** Changes with the message and with each of its parts. */
const MARK = `time_updated || ' ' || octet_length(data) || ' ' || (
  SELECT count(*) || ' ' || coalesce(sum(time_updated) || ' ' || sum(octet_length(data)), '')
  FROM part WHERE message_id = message.id)`

function records(database: Database, head: SessionHead, reading: ReadContext): SessionRecords<OpenCodeMessage> {
  const messages = { table: 'message', time: 'time_created', session: head.native_id }
  const rowOf = database.prepare(`SELECT ${messageColumns(database)} FROM message WHERE id = ?`)
  const partsOf = database.prepare(`SELECT ${partColumns(database)} FROM part WHERE message_id = ? ORDER BY id`)
  return {
    keys: (after) => valuesInOrder(database, messages, 'id', after),
    marks: (after) => valuesInOrder(database, messages, MARK, after),
    read: (key) => toRecord(rowOf.get(key) as MessageRow, partsOf.all(key) as PartRow[], head, reading),
    *end(count) {
      if (count === 0) yield* unreadableMessages(database, head)
    },
  }
}

interface PartRow {
  readonly id: string
  readonly data: unknown
  readonly bytes: number
}

interface MessageRow extends PartRow {
  readonly time_created: number
}

function messageColumns(database: Database): string {
  return `id, ${bounded('time_created')}, ${bounded('data')}, ${rowBytes(database, 'message')} AS bytes`
}

function partColumns(database: Database): string {
  return `id, ${bounded('data')}, ${rowBytes(database, 'part')} AS bytes`
}

/** A message with its parts; nothing where none of it is readable. */
function* toRecord(
  row: MessageRow,
  partRows: readonly PartRow[],
  head: SessionHead,
  reading: ReadContext,
): Generator<Keyed<OpenCodeMessage> | Problem> {
  const data = parsedObject(row.data)
  if (!data) yield bad(`message ${row.id}`, row, head, reading)
  const parts: Json[] = []
  for (const part of partRows) {
    const content = parsedObject(part.data)
    if (content) parts.push({ ...content, id: part.id })
    else yield bad(`part ${part.id}`, part, head, reading)
  }
  if (!data && parts.length === 0) return
  yield { record: { info: { time: { created: row.time_created }, ...data, id: row.id }, parts }, key: row.id }
}

/** A table that 1.18.33 creates and leaves empty. If a version fills it, that must not look like an empty session. */
function* unreadableMessages(database: Database, head: SessionHead): Generator<Problem> {
  if (!tableNames(database).has('session_message')) return
  const found = database.prepare('SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1').get(head.native_id)
  if (found)
    yield {
      code: 'unknown_format',
      problem: 'its messages are in the table "session_message", which Ion cannot read',
      path: head.path,
    }
}

function bad(what: string, { bytes }: PartRow, head: SessionHead, reading: ReadContext): Problem {
  reading.coverage.bad++
  const name = `${what} of session ${head.native_id}`
  try {
    requireReadable(bytes)
  } catch (error) {
    return cannotRead(head.path, error, `${name} cannot be read`)
  }
  return { code: 'not_json', problem: `${name} is not JSON`, path: head.path }
}
