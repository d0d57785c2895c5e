import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import {
  bounded,
  columnNames,
  databaseStamps,
  eachRow,
  LargeRow,
  tableNames,
  withNativeDatabase,
} from '../../native/database.ts'
import { fileHead, headOrProblem } from '../../native/file-head.ts'
import { parseLines } from '../../native/line-window.ts'
import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'
import { oncePerRead, type ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { pathsIn, stampOf } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { databasePath, sessionsFolder } from './paths.ts'
import { optionalColumn } from './records.ts'

const HEAD = 32 * 1024

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  for (const path of pathsIn(sessionsFolder(reading.io), /^sessions\.db$|\.jsonl$/, reading)) {
    if (isProblem(path)) yield path
    else {
      const files = path.endsWith('.db')
        ? databaseStamps(path, reading)
        : [stampOf(path)].filter((stamp) => stamp !== undefined)
      if (files.length) yield { path, files }
    }
  }
}

export function heads(source: Source, reading: ReadContext): Iterable<SessionHead | Problem> {
  if (source.path.endsWith('.jsonl')) return legacyHead(source, reading)
  return withNativeDatabase(source.path, (database) => databaseHeads(database, source.path))
}

/** Columns that were added after schema 13 are selected only where they exist. */
function* databaseHeads(database: Database, path: string): Generator<SessionHead | Problem> {
  const tables = tableNames(database)
  if (tables.size === 0) return
  if (!tables.has('sessions') || !tables.has('messages')) {
    yield { code: 'unknown_format', problem: 'not a Goose session database: no tables "sessions" and "messages"', path }
    return
  }
  const columns = columnNames(database, 'sessions')
  // A user does not search for names that Ion gave.
  const named = ['name', 'description']
    .filter((name) => columns.has(name))
    .map((name) => `CASE WHEN coalesce(${name}, '') LIKE 'ion-%' THEN '' ELSE coalesce(${name}, '') END`)
  const selected = `id, ${optional.map((name) => optionalColumn(columns, name)).join(', ')},
      (SELECT count(*) || ':' || coalesce(max(id), 0) FROM messages WHERE session_id = sessions.id) AS body,
      (SELECT coalesce(sum(octet_length(content_json)), 0) FROM messages WHERE session_id = sessions.id) AS bytes,
      CASE WHEN ${["''", ...named].join(' || ')} = '' THEN
        (SELECT ${bounded('content_json')} FROM messages WHERE session_id = sessions.id AND role = 'user'
          ORDER BY created_timestamp, id LIMIT 1) END AS prompt`
  const rows = eachRow(database, { table: 'sessions', columns: selected, which: 'ORDER BY id' })
  for (const row of rows) yield row instanceof LargeRow ? row.problem(path) : rowHead(row as SessionRow, path)
}

const optional = [
  'name',
  'description',
  'working_dir',
  'created_at',
  'updated_at',
  'session_type',
  'model_config_json',
  'archived_at',
  'parent_session_id',
] as const

/** The names that start.ts gives to sessions started by Ion. */
const OURS = /^ion-[0-9a-f-]{36}$/

/** SQLite accepts any type in any column. */
type SessionRow = Readonly<Record<(typeof optional)[number] | 'id' | 'body' | 'bytes' | 'prompt', unknown>>

function rowHead(row: SessionRow, path: string): SessionHead {
  const id = String(row.id)
  const parent = asString(row.parent_session_id)
  const isSubAgent = row.session_type === 'sub_agent'
  const isOurs = OURS.test(asString(row.name) ?? '')
  const isHidden = row.archived_at !== null || row.session_type === 'hidden' || isSubAgent
  return {
    id: sessionId('goose', id),
    agent: 'goose',
    native_id: id,
    path,
    title: titleFrom((isOurs ? '' : asString(row.name)) || asString(row.description) || firstText(row.prompt)),
    ...(isOurs ? { name: asString(row.name)! } : {}),
    cwd: asString(row.working_dir) || null,
    created_at: toIso(row.created_at) ?? null,
    updated_at: toIso(row.updated_at) ?? null,
    model: asString(asObject(parseJson(row.model_config_json))?.model_name) ?? null,
    bytes: asCount(row.bytes) ?? 0,
    revision: `${row.updated_at}:${row.body}`,
    agent_version: null,
    format: 'sqlite',
    resumable: !isSubAgent,
    ...(parent ? { parent_session: sessionId('goose', parent) } : {}),
    ...(isHidden ? { hidden: true } : {}),
  }
}

/** The first text of a message's content, which is JSON. */
function firstText(contentJson: unknown): string {
  const texts = (asArray(parseJson(contentJson)) ?? []).map((item) => asString(asObject(item)?.text))
  return texts.find((text) => text?.trim()) ?? ''
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** A file from before the database; those that Goose has imported are listed from the database. */
function* legacyHead(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  const stamp = source.files[0]
  const native = basename(path, '.jsonl')
  if (!stamp || importedIds(reading).has(native)) return
  yield* headOrProblem(path, () => {
    const [meta, ...messages] = parseLines(readHead(path, Math.min(HEAD, stamp.size), reading), 'head')
    const prompt = messages.find((message) => message.role === 'user')
    return {
      ...fileHead('goose', native, [stamp]),
      title: titleFrom(asString(meta?.description) || firstText(JSON.stringify(prompt?.content ?? null))),
      cwd: asString(meta?.working_dir) ?? null,
      created_at: toIso(messages[0]?.created) ?? null,
      format: 'legacy-jsonl',
      resumable: false,
    }
  })
}

/**
 * Goose imports the files when it creates its database, and leaves them. None where the database cannot be read: then the
 * files are all there is to list.
 */
const importedIds = oncePerRead(({ io }): ReadonlySet<unknown> => {
  const path = databasePath(io)
  if (!stampOf(path)) return new Set()
  const rows = withNativeDatabase(path, (database) =>
    tableNames(database).has('sessions') ? database.prepare('SELECT id FROM sessions').all() : [],
  )
  return new Set([...rows].map((row) => (row as { id?: unknown }).id))
})
