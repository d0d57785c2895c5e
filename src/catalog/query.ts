import { agents } from '../agents/_registry.ts'
import type { Io } from '../platform/io.ts'
import { prefixOf } from '../platform/project.ts'
import type { Database, Value } from '../platform/sqlite.ts'
import type { AgentOverview, SessionTotals } from './catalog.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'
import { NOT_A_COPY, rowOf, type StoredSession, storedColumns } from './stored-session.ts'

/** Lists sessions, newest first. An archived copy is listed only if the agent no longer has the session. */
export function listSessions(database: Database, io: Io, filter: SessionFilter): SessionRow[] {
  const { where, values } = conditions(filter)
  const stored = database
    .prepare(`SELECT ${storedColumns} FROM session ${where} ORDER BY updated_at DESC, id LIMIT ?`)
    .all(...values, filter.limit ?? -1) as StoredSession[]
  return toRows(database, io, stored)
}

const PAGE = 200

/** The same one by one. Sessions that are deleted meanwhile are skipped. */
export function* eachSession(database: Database, io: Io, filter: SessionFilter): Generator<SessionRow> {
  const { where, values } = conditions(filter)
  const keys = database
    .prepare(`SELECT key FROM session ${where} ORDER BY updated_at DESC, id LIMIT ?`)
    .all(...values, filter.limit ?? -1) as { key: number }[]
  const one = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
  for (let at = 0; at < keys.length; at += PAGE) {
    const stored = keys.slice(at, at + PAGE).flatMap(({ key }) => (one.get(key) as StoredSession | undefined) ?? [])
    yield* toRows(database, io, stored)
  }
}

export function countSessions(database: Database, filter: SessionFilter): number {
  const { where, values } = conditions(filter)
  return (database.prepare(`SELECT count(*) AS n FROM session ${where}`).get(...values) as { n: number }).n
}

/** The parts of SessionTotals; zero instead of null where there is no session at all. */
const totalColumns = Object.entries({
  sessions: 'parent_session IS NULL AND hidden = 0',
  only_in_archive: 'parent_session IS NULL AND hidden = 0 AND store <> agent',
  sub_agents: 'parent_session IS NOT NULL',
  hidden: 'parent_session IS NULL AND hidden = 1',
})
  .map(([name, condition]) => `count(*) FILTER (WHERE ${condition}) AS ${name}`)
  .join(', ')

export function overview(database: Database): AgentOverview[] {
  return database
    .prepare(
      `SELECT agent, ${totalColumns}, ifnull(sum(bytes) FILTER (WHERE store = agent), 0) AS bytes,
         max(updated_at) AS newest, sum(problems) AS problems
       FROM session WHERE ${NOT_A_COPY} GROUP BY agent ORDER BY newest DESC`,
    )
    .all() as AgentOverview[]
}

/** Of the sessions that the filter selects, with those of sub-agents and hidden ones. */
export function totals(database: Database, filter: SessionFilter): SessionTotals {
  const { where, values } = conditions({ ...filter, subAgents: true, hidden: true })
  return database.prepare(`SELECT ${totalColumns} FROM session ${where}`).get(...values) as SessionTotals
}

/** Rows as lists show them, with what is not in the session's own row: `archived` and `live`. */
export function toRows(database: Database, io: Io, stored: readonly StoredSession[]): SessionRow[] {
  const copies = database.prepare('SELECT 1 FROM session WHERE id = ? AND agent = ? AND store <> agent LIMIT 1')
  const live = liveSessions(stored, io)
  return stored.map((session) => {
    const archived = session.store !== session.agent || copies.get(session.id, session.agent) !== undefined
    const holder = live.get(session.agent)?.get(session.native_id)
    return rowOf(session, { archived, live: holder === undefined ? null : holder !== false })
  })
}

/** Ion's archived log of a session of an agent; the newer one where there are two. */
export function copyOf(database: Database, id: string, agent: string): StoredSession | undefined {
  return database
    .prepare(
      `SELECT ${storedColumns} FROM session WHERE id = ? AND agent = ? AND store <> agent ORDER BY updated_at DESC`,
    )
    .get(id, agent) as StoredSession | undefined
}

/** By agent; each agent is asked once. */
function liveSessions(stored: readonly StoredSession[], io: Io): Map<string, ReadonlyMap<string, number | false>> {
  const live = new Map<string, ReadonlyMap<string, number | false>>()
  for (const agent of agents) {
    if (!agent.live) continue
    const ids = stored.filter((session) => session.agent === agent.id).map((session) => session.native_id)
    if (ids.length) live.set(agent.id, agent.live(io, ids))
  }
  return live
}

function conditions(filter: SessionFilter): { where: string; values: Value[] } {
  const parts: string[] = [NOT_A_COPY]
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  if (filter.agents?.length) add(`agent IN (${filter.agents.map(() => '?').join(', ')})`, ...filter.agents)
  if (filter.project !== undefined) add(...withinSql('project', filter.project))
  if (filter.since) add('updated_at >= ?', filter.since.toISOString())
  if (!filter.hidden) add('hidden = 0')
  if (filter.onlyInArchive) add('store <> agent')
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

/** An SQL condition: the path in `column` is `folder` or below it. */
export function withinSql(column: string, folder: string): [sql: string, ...values: Value[]] {
  const prefix = prefixOf(folder)
  return [`(${column} = ? OR substr(${column}, 1, ?) = ?)`, folder, [...prefix].length, prefix]
}
