import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { tableNames } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Keyed } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type Json, type OpenCodeMessage, parseObject } from './records.ts'

export interface PartRow {
  readonly id: string
  readonly data: unknown
}

export interface MessageRow extends PartRow {
  readonly time_created: number
}

/** The columns of those rows. */
export const MESSAGE = 'id, time_created, data'
export const PART = 'id, data'

/** A message with its parts; nothing where none of it is readable. */
export function* toRecord(
  row: MessageRow,
  partRows: readonly PartRow[],
  head: SessionHead,
  reading: ReadContext,
): Generator<Keyed<OpenCodeMessage> | Problem> {
  const data = parseObject(row.data)
  if (!data) yield bad(`message ${row.id}`, head, reading)
  const parts: Json[] = []
  for (const part of partRows) {
    const content = parseObject(part.data)
    if (content) parts.push({ ...content, id: part.id })
    else yield bad(`part ${part.id}`, head, reading)
  }
  if (!data && parts.length === 0) return
  yield { record: { info: { time: { created: row.time_created }, ...data, id: row.id }, parts }, key: row.id }
}

/** A table that 1.18.33 creates and leaves empty. If a version fills it, that must not look like an empty session. */
export function* unreadableMessages(database: Database, head: SessionHead): Generator<Problem> {
  if (!tableNames(database).has('session_message')) return
  const found = database.prepare('SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1').get(head.native_id)
  if (found)
    yield {
      code: 'unknown_format',
      problem: 'its messages are in the table "session_message", which Ion cannot read',
      path: head.path,
    }
}

function bad(what: string, head: SessionHead, reading: ReadContext): Problem {
  reading.coverage.bad++
  return { code: 'not_json', problem: `${what} of session ${head.native_id} is not JSON`, path: head.path }
}
