import { type Item, isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { columnNames, withNativeDatabase } from '../../native/database.ts'
import { isTooDeep, readJsonLines } from '../../native/json-lines.ts'
import type { Reading } from '../../native/reading.ts'
import type { Draft } from '../../native/sequencer.ts'
import { asCount, asObject } from '../../native/shape.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { messageOf } from '../../platform/error.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type GooseMessage, type GooseUsage, messageDrafts, optionalColumn, toUsage, usageOf } from './records.ts'

export function read(head: SessionHead, reading: Reading): Generator<Item> {
  if (head.format === 'legacy-jsonl') return translate(head, legacyMessages(head.path, reading), toDrafts, reading)
  const records = withNativeDatabase(head.path, (database) => rows(database, head, reading))
  return translate(head, records as Iterable<Keyed<GooseRecord> | Problem>, toDrafts, reading)
}

/** A message, or what a session cost beyond what its messages tell. */
type GooseRecord = GooseMessage | { readonly role: 'usage'; readonly rest: GooseUsage }

function toDrafts(record: GooseRecord): Draft[] | undefined {
  if ('rest' in record) return [{ type: 'system', subtype: 'usage', content: null, token_usage: toUsage(record.rest) }]
  return messageDrafts(record)
}

interface MessageRow {
  readonly id: number
  readonly message_id: string | null
  readonly role: string
  readonly content_json: string
  readonly created_timestamp: number
  readonly metadata_json: string | null
}

/**
 * In Goose's own order. Keyed by message_id, which survives a compaction; the row id does not (all rows are deleted and
 * inserted again).
 */
function* rows(database: Database, head: SessionHead, reading: Reading): Generator<Keyed<GooseRecord> | Problem> {
  const session = head.native_id
  // Asked first: what is added while we read makes the rest too small, never too large.
  let rest = sessionUsage(database, session)
  const columns = columnNames(database, 'messages')
  const statement = database.prepare(`
    SELECT id, role, content_json, created_timestamp,
      ${['message_id', 'metadata_json'].map((name) => optionalColumn(columns, name)).join(', ')}
    FROM messages WHERE session_id = ? ORDER BY created_timestamp, id`)
  for (const value of statement.iterate(session)) {
    const row = value as MessageRow
    try {
      const metadata = asObject(JSON.parse(row.metadata_json || '{}')) ?? {}
      const content: unknown = JSON.parse(row.content_json)
      if (isTooDeep(content)) throw new Error('nested too deep')
      rest = subtract(rest, usageOf(metadata))
      const record = { role: row.role, created: row.created_timestamp, content, metadata }
      yield { record, key: row.message_id || `row-${row.id}` }
    } catch (error) {
      reading.coverage.bad++
      yield { problem: `message ${row.id} of session ${session} cannot be read: ${messageOf(error)}`, path: head.path }
    }
  }
  // Before 1.52 no message carries its usage; later, a compaction's own call is in no message.
  if (rest.input || rest.output) yield { record: { role: 'usage', rest }, key: `${session}:usage` }
}

function sessionUsage(database: Database, session: string): GooseUsage {
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

function subtract(from: GooseUsage, part: GooseUsage | undefined): GooseUsage {
  if (!part) return from
  return {
    input: Math.max(0, from.input - part.input),
    output: Math.max(0, from.output - part.output),
    cache_read: Math.max(0, from.cache_read - part.cache_read),
    cache_write: Math.max(0, from.cache_write - part.cache_write),
  }
}

function* legacyMessages(path: string, reading: Reading): Generator<Keyed<GooseRecord> | Problem> {
  for (const line of readJsonLines(path, reading)) {
    if (isProblem(line)) yield line
    else yield { record: line.record as unknown as GooseMessage, key: `@${line.span.offset}`, span: line.span }
  }
}
