import { type Item, isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { columnNames, withNativeDatabase } from '../../native/database.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import type { Reading } from '../../native/reading.ts'
import type { Draft } from '../../native/sequencer.ts'
import { asObject } from '../../native/shape.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type GooseMessage, messageDrafts } from './records.ts'

export function read(head: SessionHead, reading: Reading): Generator<Item> {
  if (head.format === 'legacy-jsonl') return translate(head, legacyMessages(head.path, reading), toDrafts, reading)
  const records = withNativeDatabase(head.path, (database) => rows(database, head, reading))
  return translate(head, records as Iterable<Keyed<GooseRecord> | Problem>, toDrafts, reading)
}

/** A message, or the sums of a session whose messages do not carry their own usage (before 1.52). */
type GooseRecord = GooseMessage | { readonly role: 'usage'; readonly row: UsageRow }

interface UsageRow {
  readonly input: number | null
  readonly output: number | null
}

function toDrafts(record: GooseRecord): Draft[] | undefined {
  if (!('row' in record)) return messageDrafts(record)
  const token_usage = {
    input: record.row.input ?? 0,
    output: record.row.output ?? 0,
    cache_read: 0,
    cache_write: 0,
    reasoning: 0,
  }
  return [{ type: 'system', subtype: 'usage', content: null, token_usage }]
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
  const columns = columnNames(database, 'messages')
  const optional = (name: string): string => (columns.has(name) ? name : `NULL AS ${name}`)
  const statement = database.prepare(`
    SELECT id, role, content_json, created_timestamp, ${optional('message_id')}, ${optional('metadata_json')}
    FROM messages WHERE session_id = ? ORDER BY created_timestamp, id`)
  const session = head.native_id
  let counted = false
  for (const value of statement.iterate(session)) {
    const row = value as MessageRow
    try {
      const metadata = asObject(JSON.parse(row.metadata_json || '{}')) ?? {}
      counted ||= metadata.usage !== undefined
      const record = { role: row.role, created: row.created_timestamp, content: JSON.parse(row.content_json), metadata }
      yield { record, key: row.message_id ?? `row-${row.id}` }
    } catch {
      reading.coverage.bad++
      yield { problem: `message ${row.id} of session ${session} is not JSON`, path: head.path }
    }
  }
  if (!counted) yield* sessionUsage(database, session)
}

function* sessionUsage(database: Database, session: string): Generator<Keyed<GooseRecord>> {
  const row = database
    .prepare('SELECT accumulated_input_tokens AS input, accumulated_output_tokens AS output FROM sessions WHERE id = ?')
    .get(session) as UsageRow | undefined
  if (row && (row.input || row.output)) yield { record: { role: 'usage', row }, key: `${session}:usage` }
}

function* legacyMessages(path: string, reading: Reading): Generator<Keyed<GooseRecord> | Problem> {
  for (const line of readJsonLines(path, reading)) {
    if (isProblem(line)) yield line
    // The first line is about the session: its list entry is made from it.
    else if (line.span.offset > 0 || line.record.role !== undefined) {
      yield { record: line.record as unknown as GooseMessage, key: `@${line.span.offset}`, span: line.span }
    }
  }
}
