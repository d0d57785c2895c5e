import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import {
  bounded,
  columnNames,
  databaseStamps,
  eachRow,
  LargeRow,
  MAX_VALUE,
  tableNames,
  withNativeDatabase,
} from '../../native/database.ts'
import { firstOf } from '../../native/file-head.ts'
import { asObject, asString, parsedObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { typedBlock } from './messages.ts'
import { activeDatabase } from './paths.ts'
import { isPlaceholderTitle, modelOf } from './records.ts'
import { databasePaths, isSuperseded, treePaths } from './stores.ts'
import { treeHead, treeStamps } from './tree.ts'

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  for (const path of databasePaths(reading)) {
    if (typeof path !== 'string') yield path
    else yield { path, files: databaseStamps(path, reading) }
  }
  for (const path of treePaths(reading)) {
    if (typeof path !== 'string') yield path
    else yield { path, files: treeStamps(path, reading) }
  }
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  const found = path.endsWith('.json')
    ? treeHead(source, reading)
    : withNativeDatabase(path, (database) => databaseHeads(database, path, path === activeDatabase(reading.io)))
  for (const head of found) if (isProblem(head) || !isSuperseded(head.native_id, path, reading)) yield head
}

interface SessionRow {
  readonly id: string
  readonly parent_id: string | null
  readonly directory: string | null
  readonly title: string | null
  readonly version: string | null
  readonly model: string | null
  readonly time_created: number
  readonly time_updated: number
  readonly time_archived: number | null
  readonly messages: string
  /** Their number, the time of the last change, and their bytes: from one pass. */
  readonly parts: string
}

/**
 * The rows of `session`, with a mark of the body that changes with each of its rows: OpenCode updates parts in place.
 * `active`: `opencode` opens this database, so it can resume its sessions.
 */
function* databaseHeads(database: Database, path: string, active: boolean): Generator<SessionHead | Problem> {
  const tables = tableNames(database)
  if (tables.size === 0) return
  if (!['session', 'message', 'part'].every((name) => tables.has(name))) {
    yield {
      code: 'unknown_format',
      problem: 'not an OpenCode database: no tables "session", "message" and "part"',
      path,
    }
    return
  }
  const columns = columnNames(database, 'session')
  const optional = (name: string): string => (columns.has(name) ? name : `NULL AS ${name}`)
  const selected = `id, time_created, time_updated,
      ${['parent_id', 'directory', 'title', 'version', 'model', 'time_archived'].map(optional).join(', ')},
      (SELECT count(*) || ':' || coalesce(max(time_updated), 0) FROM message WHERE session_id = session.id) AS messages,
      (SELECT count(*) || ':' || coalesce(max(time_updated), 0) || ':' || coalesce(sum(octet_length(data)), 0)
        FROM part WHERE session_id = session.id) AS parts`
  const rows = eachRow(database, { table: 'session', columns: selected, which: 'ORDER BY id' })
  for (const row of rows) {
    yield row instanceof LargeRow ? row.problem(path) : rowHead(row as SessionRow, database, path, active)
  }
}

function rowHead(row: SessionRow, database: Database, path: string, active: boolean): SessionHead {
  const { id, parent_id } = row
  const caller = parent_id ? spawningCall(database, row, parent_id) : undefined
  return {
    id: sessionId('opencode', id),
    agent: 'opencode',
    native_id: id,
    path,
    title: titleOf(row, database),
    cwd: row.directory || null,
    created_at: toIso(row.time_created) ?? null,
    updated_at: toIso(row.time_updated) ?? null,
    model: asString(parsedObject(row.model)?.id) ?? lastModel(database, id),
    bytes: Number(row.parts.split(':')[2]),
    revision: `${row.time_updated}:${row.messages}:${row.parts}`,
    agent_version: row.version || null,
    format: 'sqlite',
    resumable: active && !parent_id,
    ...(parent_id ? { parent_session: sessionId('opencode', parent_id) } : {}),
    ...(caller ? { spawned_by: caller } : {}),
    ...(row.time_archived ? { hidden: true } : {}),
  }
}

/** A session without a name is called after its first prompt, which is in one of its first messages. */
function titleOf(row: SessionRow, database: Database): string | null {
  if (row.title && !isPlaceholderTitle(row.title)) return titleFrom(row.title)
  const messages = database.prepare(
    `SELECT id, ${bounded('data')} FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT 5`,
  )
  const parts = database.prepare(`SELECT id, ${bounded('data')} FROM part WHERE message_id = ? ORDER BY id LIMIT 10`)
  for (const message of messages.all(row.id) as DataRow[]) {
    if (parsedObject(message.data)?.role !== 'user') continue
    for (const part of parts.all(message.id) as DataRow[]) {
      const block = typedBlock(parsedObject(part.data) ?? {})
      if (block?.type === 'text') return titleFrom(block.text)
    }
  }
  return null
}

interface DataRow {
  readonly id: string
  readonly data: unknown
}

/** Databases from before the column `model`, and imported sessions, have it only in their messages. */
function lastModel(database: Database, session: string): string | null {
  const last = database
    .prepare(`SELECT ${bounded('data')} FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 5`)
    .all(session) as DataRow[]
  return firstOf(last, (row) => modelOf(parsedObject(row.data) ?? {})) ?? null
}

/** The call in the parent that started this session: in the message that was being written at that time. */
function spawningCall(database: Database, row: SessionRow, parent: string): string | undefined {
  const parts = eachRow(database, {
    table: 'part',
    columns: 'data',
    which: `WHERE message_id IN (
        SELECT id FROM message WHERE session_id = ? AND time_created <= ? ORDER BY time_created DESC, id DESC LIMIT 3
      ) AND CASE WHEN octet_length(data) <= ${MAX_VALUE} THEN data LIKE '%sessionId%' END ORDER BY id`,
    values: [parent, row.time_created],
  })
  for (const part of parts) {
    const { callID, state } = parsedObject((part as DataRow).data) ?? {}
    if (asObject(asObject(state)?.metadata)?.sessionId === row.id) return asString(callID)
  }
  return undefined
}
