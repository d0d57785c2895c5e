import { agents } from '../agents/_registry.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { AgentOverview } from './catalog.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'
import { rowOf, type StoredSession, storedColumns } from './stored-session.ts'

const MIN_PREFIX = 4

/** Lists sessions, newest first. An archived copy is shown only where the agent's own session is gone. */
export function listSessions(database: Database, io: Io, filter: SessionFilter): SessionRow[] {
  const { where, values } = conditions(filter)
  const stored = database
    .prepare(`SELECT ${storedColumns} FROM session ${where} ORDER BY updated_at DESC, id LIMIT ?`)
    .all(...values, filter.limit ?? -1) as StoredSession[]
  return toRows(database, io, stored)
}

export function countSessions(database: Database, filter: SessionFilter): number {
  const { where, values } = conditions(filter)
  return (database.prepare(`SELECT count(*) AS n FROM session ${where}`).get(...values) as { n: number }).n
}

export function overview(database: Database): AgentOverview[] {
  const { where } = conditions({ hidden: true })
  return database
    .prepare(
      `SELECT agent, count(*) AS sessions, sum(bytes) AS bytes, max(updated_at) AS newest, sum(problems) AS problems
       FROM session ${where} GROUP BY agent ORDER BY newest DESC`,
    )
    .all() as AgentOverview[]
}

/** Rows as lists show them, with the marks that stand elsewhere. */
export function toRows(database: Database, io: Io, stored: readonly StoredSession[]): SessionRow[] {
  const copies = database.prepare('SELECT 1 FROM session WHERE id = ? AND store <> agent LIMIT 1')
  const live = new Map<string, ReadonlySet<string> | undefined>()
  return stored.map((session) => {
    if (!live.has(session.agent)) live.set(session.agent, liveSessions(session.agent, io))
    const archived = session.store !== session.agent || copies.get(session.id) !== undefined
    return rowOf(session, { archived, live: live.get(session.agent)?.has(session.native_id) ?? null })
  })
}

function liveSessions(agentId: string, io: Io): ReadonlySet<string> | undefined {
  return agents.find((agent) => agent.id === agentId)?.live?.(io)
}

type Value = string | number

function conditions(filter: SessionFilter): { where: string; values: Value[] } {
  const parts: string[] = [
    'NOT (store <> agent AND EXISTS (SELECT 1 FROM session AS own WHERE own.id = session.id AND own.store = own.agent))',
  ]
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  if (filter.agents?.length) add(`agent IN (${filter.agents.map(() => '?').join(', ')})`, ...filter.agents)
  if (filter.project !== undefined) {
    add('(project = ? OR substr(project, 1, ?) = ?)', filter.project, ...below(filter.project))
  }
  if (filter.since) add('updated_at >= ?', filter.since.toISOString())
  if (!filter.hidden) add('hidden = 0')
  if (filter.parent !== undefined) add('parent_session = ?', filter.parent)
  else if (!filter.subAgents) add('parent_session IS NULL')
  for (const word of filter.words ?? []) {
    add(
      "instr(lower(coalesce(title, '') || ' ' || coalesce(cwd, '') || ' ' || agent || ' ' || id), ?) > 0",
      word.toLowerCase(),
    )
  }
  return { where: `WHERE ${parts.join(' AND ')}`, values }
}

/** Length and text of the prefix that a path below `folder` has. */
export function below(folder: string): [number, string] {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return [[...prefix].length, prefix]
}

/** The one session that `reference` names: id, unique prefix, native id or exact title. */
export function findStored(database: Database, reference: string): StoredSession {
  const found = candidates(database, reference.trim())
  // The agent's own session before Ion's copy of it.
  const distinct = [...new Map(found.toSorted(copiesFirst).map((session) => [session.id, session])).values()]
  if (distinct.length === 1) return distinct[0]!
  if (distinct.length === 0) {
    const short = reference.length > 0 && reference.length < MIN_PREFIX
    throw new IonError('not-found', `no session matches "${reference}"`, {
      hint: short ? `give at least ${MIN_PREFIX} characters of the id` : 'ion sessions --all',
    })
  }
  const names = distinct
    .slice(0, 5)
    .map((session) => `${session.id} (${session.agent}: ${session.title ?? 'untitled'})`)
  throw new IonError('usage', `"${reference}" matches ${distinct.length} sessions`, {
    hint: `give more of the id: ${names.join(', ')}${distinct.length > names.length ? ', …' : ''}`,
  })
}

function candidates(database: Database, reference: string): StoredSession[] {
  const ask = (condition: string, ...values: Value[]): StoredSession[] =>
    database
      .prepare(`SELECT ${storedColumns} FROM session WHERE ${condition} LIMIT 100`)
      .all(...values) as StoredSession[]
  const lower = reference.toLowerCase()
  const exact = ask('id = ?', lower)
  if (exact.length) return exact
  const native = ask('native_id = ?', reference)
  if (native.length) return native
  if (reference.length >= MIN_PREFIX) {
    // A range on the index, not LIKE: an id has no character above "g".
    const prefixed = /^[0-9a-f-]+$/.test(lower) ? ask('id >= ? AND id < ?', lower, `${lower}g`) : []
    if (prefixed.length) return prefixed
    const nativePrefix = ask('substr(native_id, 1, ?) = ?', reference.length, reference)
    if (nativePrefix.length) return nativePrefix
  }
  return ask('title = ?', reference)
}

function copiesFirst(a: StoredSession, b: StoredSession): number {
  return Number(a.store === a.agent) - Number(b.store === b.agent)
}
