import { type Item, type NonRecord, type Problem, ReadError } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { tokenUsage } from '../../native/content.ts'
import {
  bounded,
  columnNames,
  eachRow,
  requireReadable,
  rowBytes,
  storedTexts,
  withNativeDatabase,
} from '../../native/database.ts'
import { isTooDeep } from '../../native/json-lines.ts'
import { asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import { microDollars, moreThan } from '../../native/usage.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type GooseRecord, optionalColumn, ROW, recordSpent, type Spent, toDrafts } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  if (head.format === 'legacy-jsonl')
    return translate(head, keyedLines<GooseRecord>(head.path, reading), toDrafts, reading)
  const records = withNativeDatabase(head.path, (database) => rows(database, head, reading))
  return translate(head, records as Iterable<Keyed<GooseRecord> | NonRecord>, toDrafts, reading)
}

/** Everything that `read` makes text of. */
export function textRows({ path, native_id, format }: SessionHead): Iterable<Uint8Array | Problem> | undefined {
  if (format === 'legacy-jsonl') return undefined
  const messages = { table: 'messages', which: 'WHERE session_id = ?', values: [native_id] }
  return withNativeDatabase(path, (database) => storedTexts(database, { path, column: 'content_json', ...messages }))
}

/** In Goose's own order. */
function* rows(database: Database, head: SessionHead, reading: ReadContext): Generator<Keyed<GooseRecord> | NonRecord> {
  const session = head.native_id
  // Queried first: what is added while we read makes the rest too small, never too large.
  let rest = sessionSpent(database, session)
  const messages = eachRow(database, {
    table: 'messages',
    columns: messageColumns(database),
    which: 'WHERE session_id = ? ORDER BY created_timestamp, id',
    values: [session],
    // Each becomes a problem of its own.
    maxBytes: Number.POSITIVE_INFINITY,
  })
  for (const row of messages) {
    const item = toRecord(row as MessageRow, head, reading)
    rest = subtract(rest, recordSpent(item))
    yield item
  }
  yield* restOfUsage(rest, session)
}

export interface MessageRow {
  readonly id: number
  readonly message_id: string | null
  readonly role: string
  readonly content_json: string
  readonly created_timestamp: number
  readonly metadata_json: string | null
  readonly bytes: number
}

/** The columns of a message; those that an older schema lacks, or that are too large, read as NULL. */
export function messageColumns(database: Database): string {
  const columns = columnNames(database, 'messages')
  const read = ['role', 'content_json', 'created_timestamp', 'message_id', 'metadata_json'].map((name) =>
    columns.has(name) ? bounded(name) : optionalColumn(columns, name),
  )
  return ['id', ...read, `${rowBytes(database, 'messages')} AS bytes`].join(', ')
}

/** Keyed by message_id, which survives a compaction; the row id does not (all rows are deleted and inserted again). */
export function toRecord(row: MessageRow, head: SessionHead, reading: ReadContext): Keyed<GooseRecord> | Problem {
  try {
    requireReadable(row.bytes)
    const metadata = asObject(JSON.parse(row.metadata_json || '{}')) ?? {}
    const content: unknown = JSON.parse(row.content_json)
    if (isTooDeep(content)) throw new ReadError('too_deep', 'nested too deep')
    const record = { role: row.role, created: row.created_timestamp, content, metadata }
    return { record, key: row.message_id || `${ROW}${row.id}` }
  } catch (error) {
    reading.coverage.bad++
    const what = `message ${row.id} of session ${head.native_id}`
    return cannotRead(head.path, error, `${what} cannot be read`)
  }
}

/** Before 1.52 no message has its usage; later, a compaction's own call is in no message. */
export function* restOfUsage(rest: Spent, session: string): Generator<Keyed<GooseRecord>> {
  if (rest.usage.input || rest.usage.output) yield { record: { role: 'usage', rest }, key: `${session}:usage` }
}

/** What the session has cost in all. */
export function sessionSpent(database: Database, session: string): Spent {
  const columns = columnNames(database, 'sessions')
  const sums = [...Object.values(ACCUMULATED), COST].map((name) => optionalColumn(columns, name))
  const row = database.prepare(`SELECT ${sums.join(', ')} FROM sessions WHERE id = ?`).get(session)
  const counts = asObject(row) ?? {}
  return { usage: tokenUsage(counts, ACCUMULATED), cost: microDollars(counts[COST]) ?? 0 }
}

const COST = 'accumulated_cost'

const ACCUMULATED = {
  input: 'accumulated_input_tokens',
  output: 'accumulated_output_tokens',
  cache_read: 'accumulated_cache_read_tokens',
  cache_write: 'accumulated_cache_write_tokens',
}

export function subtract(from: Spent, part: Spent | undefined): Spent {
  if (!part) return from
  return { usage: moreThan(from.usage, part.usage), cost: Math.max(0, from.cost - part.cost) }
}
