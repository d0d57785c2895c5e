import { basename, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { type Item, isProblem, type NonRecord, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { databaseStamps, eachRow, inPlace, storedTexts, tableNames, withNativeDatabase } from '../../native/database.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { RowsPart, TableRows } from '../../native/rows.ts'
import { toIso } from '../../native/time.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { filesIn } from '../../native/walk.ts'
import { hash53 } from '../../platform/hash.ts'
import { dataHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { conversationTranslator, RESUME_PROMPT, type StateRecord } from './conversation-state.ts'

/**
 * Rows of (folder, ConversationState as JSON). SQLite queries the JSON itself, so a list reads no bodies and reading holds
 * one page of the history at a time. Only the table named here is ever queried: the same databases keep login tokens in
 * another one.
 */
export type ConversationTable = 'conversations' | 'conversations_v2'

/** `format` is that of the sessions in the table. */
export interface ConversationStore {
  readonly table: ConversationTable
  readonly format: string
  readonly resumable: boolean
}

/** SQL: a conversation that Ion reads. SQLite has to hold all of it, in two forms. */
function readable(value = 'value'): string {
  return `(octet_length(${value}) <= ${MAX_CONVERSATION} AND json_valid(${value}))`
}

const MAX_CONVERSATION = 64 * 1024 * 1024

/** `conversations_v2` has columns for the id and two times. */
const idOf: Readonly<Record<ConversationTable, string>> = {
  conversations: `CASE WHEN ${readable()} THEN json_extract(value, '$.conversation_id') END`,
  conversations_v2: 'conversation_id',
}

/** Entries are read in pages of about this size, each of which parses the whole conversation. */
const PAGE_BYTES = 16 * 1024 * 1024

const PROMPT = "'$.user.content.Prompt.prompt'"

/** Where the database is. `XDG_DATA_HOME` counts on Linux only; macOS has a fixed place. */
export function conversationsFolder(io: Io, name: string): string {
  return join(io.platform === 'darwin' ? join(io.home, 'Library', 'Application Support') : dataHome(io), name)
}

export function* conversationSource(folder: string, reading: ReadContext): Generator<Source | Problem> {
  for (const name of filesIn(folder, /^data\.sqlite3$/, reading)) {
    if (isProblem(name)) yield name
    else yield { path: join(folder, name), files: databaseStamps(join(folder, name), reading) }
  }
}

/** The sessions of the database. One that is in two tables is listed from the first. */
export function conversationHeads(
  agent: string,
  path: string,
  stores: readonly ConversationStore[],
): Iterable<SessionHead | Problem> {
  return withNativeDatabase(path, (database) => headsIn(database, agent, path, stores), inPlace)
}

function* headsIn(
  database: Database,
  agent: string,
  path: string,
  stores: readonly ConversationStore[],
): Generator<SessionHead | Problem> {
  const present = tableNames(database)
  for (const name of present) {
    if (!/conversation/i.test(name) || stores.some(({ table }) => table === name)) continue
    const problem = `the table "${name}" is of a newer version, which this Ion cannot read`
    yield { code: 'unknown_format', problem, path }
  }
  const listed = new Set<string>()
  for (const { table, format, resumable } of stores) {
    // A database may be older than the table, or new.
    if (!present.has(table)) continue
    for (const found of tableHeads(database, table, path)) {
      if (isProblem(found)) yield found
      else if (!listed.has(found.native_id)) {
        listed.add(found.native_id)
        const id = sessionId(agent, found.native_id)
        yield { ...found, id, agent, path, agent_version: null, format, resumable }
      }
    }
  }
}

type RowHead = Omit<SessionHead, 'id' | 'agent' | 'path' | 'agent_version' | 'format' | 'resumable'>

/** The sessions of a table, ordered by folder. A row that is not a conversation is a problem. */
function* tableHeads(database: Database, table: ConversationTable, path: string): Generator<RowHead | Problem> {
  const times = table === 'conversations_v2' ? 'created_at, updated_at' : 'NULL AS created_at, NULL AS updated_at'
  const columns = `key, ${idOf[table]} AS id, ${times}, octet_length(value) AS bytes,
      CASE WHEN ${readable()} THEN json_extract(value, '$.history[0].user.timestamp',
        '$.history[0].request_metadata.request_start_timestamp_ms',
        '$.history[#-1].request_metadata.stream_end_timestamp_ms', '$.history[#-1].user.timestamp',
        '$.history[#-1].request_metadata.message_id', '$.history[#-1].request_metadata.model_id',
        '$.model_info.model_id', '$.model') END AS fields,
      CASE WHEN ${readable()} THEN json_array_length(value, '$.history') END AS entries,
      (SELECT substr(json_extract(entry.value, ${PROMPT}), 1, 4000)
        FROM json_each(CASE WHEN ${readable(`${table}.value`)} THEN ${table}.value ELSE '{}' END, '$.history') AS entry
        WHERE CASE WHEN entry.type = 'object' THEN json_type(entry.value, ${PROMPT}) END = 'text'
          AND json_extract(entry.value, ${PROMPT}) <> ? LIMIT 1) AS prompt`
  const which = `ORDER BY key, ${idOf[table]}`
  const seen = new Set<string>()
  for (const value of eachRow(database, {
    table,
    columns,
    columnValues: [RESUME_PROMPT],
    which,
    maxBytes: Number.POSITIVE_INFINITY,
  })) {
    const row = value as ConversationRow
    if (row.bytes > MAX_CONVERSATION) {
      yield { code: 'too_large', problem: `the conversation of ${row.key} ${tooLarge(row.bytes)}`, path }
      continue
    }
    if (typeof row.id !== 'string' || row.id === '' || row.fields === null) {
      yield {
        code: 'invalid_record',
        problem: `the row of ${row.key} is not a conversation (no JSON, or no conversation_id)`,
        path,
      }
      continue
    }
    // A conversation that was saved to a file and loaded in another folder keeps its id there.
    yield rowHead(row, seen.has(row.id) ? `${row.id}@${row.key}` : row.id)
    seen.add(row.id)
  }
}

interface ConversationRow {
  readonly key: string
  readonly id: unknown
  readonly created_at: number | null
  readonly updated_at: number | null
  readonly bytes: number
  readonly fields: string | null
  readonly entries: number | null
  readonly prompt: string | null
}

function rowHead(row: ConversationRow, native_id: string): RowHead {
  const [sent, started, ended, lastSent, lastMessage, lastModel, model, olderModel] = JSON.parse(
    row.fields!,
  ) as unknown[]
  return {
    native_id,
    title: titleFrom(row.prompt ?? ''),
    cwd: row.key,
    created_at: toIso(row.created_at) ?? toIso(sent) ?? toIso(started) ?? null,
    updated_at: toIso(row.updated_at) ?? toIso(ended) ?? toIso(lastSent) ?? null,
    model: asString(lastModel) ?? asString(model) ?? asString(olderModel) ?? null,
    bytes: row.bytes,
    revision: [row.updated_at ?? '', row.bytes, row.entries ?? '', ended ?? '', asString(lastMessage) ?? ''].join(':'),
  }
}

/** The conversation as events. If another one has replaced it, that is a problem. */
export function readConversation(head: SessionHead, table: ConversationTable, reading: ReadContext): Generator<Item> {
  const records = withNativeDatabase(head.path, (database) => recordsOf(database, table, head, reading), inPlace)
  return translate(head, records as Iterable<Keyed<StateRecord> | NonRecord>, conversationTranslator(), reading)
}

/** Everything that `readConversation` makes text of. */
export function conversationText(
  { path, native_id, cwd }: SessionHead,
  table: ConversationTable,
): Iterable<Uint8Array | Problem> {
  const row = { table, which: `WHERE key = ? AND ${idOf[table]} = ?`, values: [cwd, idIn(native_id)] }
  return withNativeDatabase(path, (database) => storedTexts(database, { path, column: 'value', ...row }), inPlace)
}

/** The conversation's own id: its folder may follow it. */
function idIn(native_id: string): string {
  return native_id.split('@')[0]!
}

function* recordsOf(
  database: Database,
  table: ConversationTable,
  head: SessionHead,
  reading: ReadContext,
): Generator<Keyed<StateRecord> | Problem> {
  const id = idIn(head.native_id)
  const where = `FROM ${table} WHERE key = ? AND ${idOf[table]} = ?`
  const row = database
    .prepare(`SELECT ${readable()} AS valid,
      octet_length(value) AS bytes,
      CASE WHEN ${readable()} THEN json_type(value, '$.history') END AS history,
      CASE WHEN ${readable()} THEN json_array_length(value, '$.history') END AS entries,
      CASE WHEN ${readable()} THEN json_extract(value, '$.latest_summary', '$.next_message') END AS rest ${where}`)
    .get(head.cwd, id) as
    | { valid: number; bytes: number; history: string | null; entries: number; rest: string }
    | undefined
  if (!row?.valid || row.history !== 'array') {
    reading.coverage.bad++
    yield {
      code: !row ? 'missing' : row.bytes > MAX_CONVERSATION ? 'too_large' : 'invalid_record',
      problem: row ? damaged(row) : `the conversation is gone; ${head.cwd} has no row with its id`,
      path: head.path,
    }
    return
  }
  const [latest_summary, next_message] = JSON.parse(row.rest) as unknown[]
  if (latest_summary !== null) yield { record: { latest_summary }, key: `summary-${hashOf(latest_summary)}` }
  const page = database.prepare(`SELECT entry.type AS type, entry.value AS value
    FROM (SELECT value AS state ${where}) AS found, json_each(found.state, '$.history') AS entry
    WHERE entry.key >= ? AND entry.key < ?`)
  const pageEntries = Math.ceil((row.entries * PAGE_BYTES) / Math.max(row.bytes, PAGE_BYTES))
  for (let from = 0; from < row.entries; from += pageEntries) {
    for (const value of page.all(head.cwd, id, from, from + pageEntries)) {
      const entry = value as { type: string; value: unknown }
      const record = (
        entry.type === 'object' ? JSON.parse(String(entry.value)) : { history: entry.value }
      ) as StateRecord
      yield { record, key: keyOf(record) }
    }
  }
  if (next_message !== null) yield { record: { next_message }, key: `next-${hashOf(next_message)}` }
}

/** For `backup`: the rows of a session. The older table may still have one that was migrated to the newer. */
export function* conversationParts({ path, cwd, native_id }: SessionHead): Generator<RowsPart | Problem> {
  if (cwd === null) return
  const id = idIn(native_id)
  for (const tables of withNativeDatabase(path, (database) => [rowsOf(database, cwd, id)], inPlace)) {
    if (isProblem(tables)) yield tables
    else if (tables.length > 0) {
      const database = { kind: 'rows', root: 'data', path: basename(path), inPlace: true } as const
      yield { ...database, tables, bookkeeping: ['migrations'] }
    }
  }
}

/** Without the row of the folder where another conversation has replaced this one. */
function rowsOf(database: Database, key: string, conversation_id: string): TableRows[] {
  const present = tableNames(database)
  const holds = (table: ConversationTable): boolean =>
    present.has(table) &&
    database.prepare(`SELECT 1 FROM ${table} WHERE key = ? AND ${idOf[table]} = ?`).get(key, conversation_id) !==
      undefined
  return [
    ...(holds('conversations_v2') ? [{ table: 'conversations_v2', where: { key, conversation_id } }] : []),
    ...(holds('conversations') ? [{ table: 'conversations', where: { key } }] : []),
  ]
}

function damaged({ valid, bytes }: { readonly valid: number; readonly bytes: number }): string {
  if (bytes > MAX_CONVERSATION) return `the conversation ${tooLarge(bytes)}`
  return valid ? 'the conversation has no history' : 'the conversation is not JSON'
}

function tooLarge(bytes: number): string {
  return `has ${Math.round(bytes / 1e6)} MB, which is too much to read at once`
}

/** The message id. Never the position: a compaction removes the start of the history. */
function keyOf(entry: StateRecord): string {
  const assistant = asObject(entry.assistant)
  const answer = asObject(assistant?.Response) ?? asObject(assistant?.ToolUse)
  const id = asString(asObject(entry.request_metadata)?.message_id) ?? asString(answer?.message_id)
  return id || `entry-${hashOf(entry)}`
}

function hashOf(value: unknown): string {
  return hash53(JSON.stringify(value)).toString(36)
}
