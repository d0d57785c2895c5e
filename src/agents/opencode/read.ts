import type { Item, Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { tableNames, withNativeDatabase } from '../../native/database.ts'
import type { Reading } from '../../native/reading.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { messageDrafts } from './messages.ts'
import { treeMessages } from './read-tree.ts'
import { type Json, type OpenCodeMessage, parseObject } from './records.ts'

/** A record is a message with its parts: one step of the model, so what is in memory does not grow with the session. */
export function read(head: SessionHead, reading: Reading): Generator<Item> {
  const records =
    head.format === 'sqlite'
      ? withNativeDatabase(head.path, (database) => databaseMessages(database, head, reading))
      : treeMessages(head.path, reading)
  return translate(head, records as Iterable<Keyed<OpenCodeMessage> | Problem>, messageDrafts, reading)
}

interface MessageRow {
  readonly id: string
  readonly time_created: number
  readonly data: unknown
}

/** In OpenCode's own order: messages by their time, parts by their id. */
function* databaseMessages(
  database: Database,
  head: SessionHead,
  reading: Reading,
): Generator<Keyed<OpenCodeMessage> | Problem> {
  const messages = database.prepare(
    'SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id',
  )
  const partsOf = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id')
  let empty = true
  for (const value of messages.iterate(head.native_id)) {
    empty = false
    const row = value as MessageRow
    const data = parseObject(row.data)
    if (!data) yield bad(`message ${row.id}`, head, reading)
    const parts: Json[] = []
    for (const part of partsOf.all(row.id) as MessageRow[]) {
      const content = parseObject(part.data)
      if (content) parts.push({ ...content, id: part.id })
      else yield bad(`part ${part.id}`, head, reading)
    }
    if (!data && parts.length === 0) continue
    yield { record: { info: { time: { created: row.time_created }, ...data, id: row.id }, parts }, key: row.id }
  }
  if (empty) yield* elsewhere(database, head)
}

/** A table that 1.18.33 makes and leaves empty. Once a version fills it, that must not look like an empty session. */
function* elsewhere(database: Database, head: SessionHead): Generator<Problem> {
  if (!tableNames(database).has('session_message')) return
  const found = database.prepare('SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1').get(head.native_id)
  if (found)
    yield { problem: 'its messages are in the table "session_message", which Ion cannot read', path: head.path }
}

function bad(what: string, head: SessionHead, reading: Reading): Problem {
  reading.coverage.bad++
  return { problem: `${what} of session ${head.native_id} is not JSON`, path: head.path }
}
