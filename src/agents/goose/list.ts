import { basename, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { columnNames, databaseStamps, tableNames, withNativeDatabase } from '../../native/database.ts'
import { parseLines } from '../../native/line-window.ts'
import type { Reading } from '../../native/reading.ts'
import { asObject, asString } from '../../native/shape.ts'
import { toIso } from '../../native/time.ts'
import { filesIn, stampOf } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { messageOf } from '../../platform/error.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { databasePath, sessionsFolder } from './paths.ts'

const HEAD = 32 * 1024

export function* sources(reading: Reading): Generator<Source | Problem> {
  const folder = sessionsFolder(reading.io)
  for (const name of filesIn(folder, /^sessions\.db$|\.jsonl$/, reading)) {
    if (typeof name !== 'string') {
      yield name
      continue
    }
    const path = join(folder, name)
    const files = name.endsWith('.db') ? databaseStamps(path) : [stampOf(path)].filter((stamp) => stamp !== undefined)
    if (files.length) yield { path, files }
  }
}

export function heads(source: Source, reading: Reading): Iterable<SessionHead | Problem> {
  if (source.path.endsWith('.jsonl')) return legacyHead(source, reading)
  return withNativeDatabase(source.path, (database) => databaseHeads(database, source.path))
}

/** Columns that came after schema 13 are asked for only where they are. */
function* databaseHeads(database: Database, path: string): Generator<SessionHead | Problem> {
  const tables = tableNames(database)
  if (tables.size === 0) return
  if (!tables.has('sessions') || !tables.has('messages')) {
    yield { problem: 'not a Goose session database: no tables "sessions" and "messages"', path }
    return
  }
  const columns = columnNames(database, 'sessions')
  const optional = (name: string): string => (columns.has(name) ? name : `NULL AS ${name}`)
  const rows = database.prepare(`
    SELECT id, working_dir, created_at, updated_at, description,
      ${['name', 'session_type', 'model_config_json', 'archived_at', 'parent_session_id'].map(optional).join(', ')},
      (SELECT count(*) || ':' || coalesce(max(id), 0) FROM messages WHERE session_id = sessions.id) AS body,
      (SELECT coalesce(sum(octet_length(content_json)), 0) FROM messages WHERE session_id = sessions.id) AS bytes,
      (SELECT content_json FROM messages WHERE session_id = sessions.id AND role = 'user' ORDER BY id LIMIT 1) AS prompt
    FROM sessions ORDER BY id`)
  for (const row of rows.iterate()) yield rowHead(row as SessionRow, path)
}

interface SessionRow {
  readonly id: string
  readonly working_dir: string
  readonly created_at: string
  readonly updated_at: string
  readonly description: string
  readonly name: string | null
  readonly session_type: string | null
  readonly model_config_json: string | null
  readonly archived_at: string | null
  readonly parent_session_id: string | null
  readonly body: string
  readonly bytes: number
  readonly prompt: string | null
}

function rowHead(row: SessionRow, path: string): SessionHead {
  const named = titleFrom(row.name || row.description || '')
  return {
    id: sessionId('goose', row.id),
    agent: 'goose',
    native_id: row.id,
    path,
    title: named ?? titleFrom(firstText(row.prompt)),
    cwd: row.working_dir || null,
    created_at: toIso(row.created_at) ?? null,
    updated_at: toIso(row.updated_at) ?? null,
    model: modelName(row.model_config_json),
    bytes: row.bytes,
    revision: `${row.updated_at}:${row.body}`,
    agent_version: null,
    format: 'sqlite',
    resumable: true,
    ...(row.parent_session_id ? { parent_session: sessionId('goose', row.parent_session_id) } : {}),
    ...(isHidden(row) ? { hidden: true } : {}),
  }
}

function isHidden(row: SessionRow): boolean {
  return row.archived_at !== null || row.session_type === 'hidden' || row.session_type === 'sub_agent'
}

function firstText(contentJson: string | null): string {
  const items = contentJson ? (parseJson(contentJson) as { text?: unknown }[]) : []
  return Array.isArray(items) ? (items.map((item) => asString(item?.text)).find(Boolean) ?? '') : ''
}

function modelName(configJson: string | null): string | null {
  return (configJson && asString(asObject(parseJson(configJson))?.model_name)) || null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A file of before the database; those that Goose has imported are listed from there. */
function* legacyHead(source: Source, reading: Reading): Generator<SessionHead | Problem> {
  const { path } = source
  const stamp = source.files[0]
  const native = basename(path, '.jsonl')
  if (!stamp || isImported(native, reading)) return
  try {
    const [meta, ...messages] = parseLines(readHead(path, Math.min(HEAD, stamp.size), reading), 'head')
    const prompt = messages.find((message) => message.role === 'user')
    yield {
      id: sessionId('goose', native),
      agent: 'goose',
      native_id: native,
      path,
      title: titleFrom(asString(meta?.description) || firstText(JSON.stringify(prompt?.content ?? null))),
      cwd: asString(meta?.working_dir) ?? null,
      created_at: toIso(messages[0]?.created) ?? null,
      updated_at: toIso(stamp.mtimeMs) ?? null,
      model: null,
      bytes: stamp.size,
      revision: `${stamp.ino}:${stamp.size}:${stamp.mtimeMs}`,
      agent_version: null,
      format: 'legacy-jsonl',
      resumable: false,
    }
  } catch (error) {
    yield { problem: `cannot read: ${messageOf(error)}`, path }
  }
}

function isImported(native: string, reading: Reading): boolean {
  const path = databasePath(reading.io)
  if (!stampOf(path)) return false
  const found = withNativeDatabase(path, (database) =>
    tableNames(database).has('sessions') ? database.prepare('SELECT id FROM sessions WHERE id = ?').all(native) : [],
  )
  return [...found].some((row) => !isProblem(row as object))
}
