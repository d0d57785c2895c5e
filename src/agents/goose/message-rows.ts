import { type Problem, ReadError } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { columnNames } from '../../native/database.ts'
import { isTooDeep } from '../../native/json-lines.ts'
import { asCount, asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Keyed } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type GooseRecord, type GooseUsage, optionalColumn } from './records.ts'

export interface MessageRow {
  readonly id: number
  readonly message_id: string | null
  readonly role: string
  readonly content_json: string
  readonly created_timestamp: number
  readonly metadata_json: string | null
}

/** The columns of a message; those that an older schema lacks read as NULL. */
export function messageColumns(database: Database): string {
  const columns = columnNames(database, 'messages')
  const optional = ['message_id', 'metadata_json'].map((name) => optionalColumn(columns, name))
  return ['id', 'role', 'content_json', 'created_timestamp', ...optional].join(', ')
}

/** Keyed by message_id, which survives a compaction; the row id does not (all rows are deleted and inserted again). */
export function toRecord(row: MessageRow, head: SessionHead, reading: ReadContext): Keyed<GooseRecord> | Problem {
  try {
    const metadata = asObject(JSON.parse(row.metadata_json || '{}')) ?? {}
    const content: unknown = JSON.parse(row.content_json)
    if (isTooDeep(content)) throw new ReadError('too_deep', 'nested too deep')
    const record = { role: row.role, created: row.created_timestamp, content, metadata }
    return { record, key: row.message_id || `row-${row.id}` }
  } catch (error) {
    reading.coverage.bad++
    const what = `message ${row.id} of session ${head.native_id}`
    return cannotRead(head.path, error, `${what} cannot be read`)
  }
}

/** Before 1.52 no message has its usage; later, a compaction's own call is in no message. */
export function* restOfUsage(rest: GooseUsage, session: string): Generator<Keyed<GooseRecord>> {
  if (rest.input || rest.output) yield { record: { role: 'usage', rest }, key: `${session}:usage` }
}

/** What the session has cost in all. */
export function sessionUsage(database: Database, session: string): GooseUsage {
  const columns = columnNames(database, 'sessions')
  const sums = ['input', 'output', 'cache_read', 'cache_write'].map(
    (name) => `${columns.has(`accumulated_${name}_tokens`) ? `accumulated_${name}_tokens` : 'NULL'} AS ${name}`,
  )
  const row = database.prepare(`SELECT ${sums.join(', ')} FROM sessions WHERE id = ?`).get(session)
  const { input, output, cache_read, cache_write } = (row ?? {}) as Record<string, unknown>
  return {
    input: asCount(input) ?? 0,
    output: asCount(output) ?? 0,
    cache_read: asCount(cache_read) ?? 0,
    cache_write: asCount(cache_write) ?? 0,
  }
}

export function subtract(from: GooseUsage, part: GooseUsage | undefined): GooseUsage {
  if (!part) return from
  return {
    input: Math.max(0, from.input - part.input),
    output: Math.max(0, from.output - part.output),
    cache_read: Math.max(0, from.cache_read - part.cache_read),
    cache_write: Math.max(0, from.cache_write - part.cache_write),
  }
}
