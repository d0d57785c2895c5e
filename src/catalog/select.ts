import type { SessionHead } from '../events/session.ts'
import type { AllMarks } from '../organise/marks.ts'
import type { MarkedSession } from '../organise/operation.ts'
import { prefixOf } from '../platform/project.ts'
import { type Database, transaction, type Value } from '../platform/sqlite.ts'
import type { AgentOverview, FurtherSessions, SessionTotals, SubAgent } from './catalog.ts'
import { getMeta, setMeta } from './meta.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'
import { NOT_A_COPY, rowOf, type StoredSession, storedColumns } from './stored-session.ts'

/** Questions to the index that need no adapter. */

/** Sessions, newest first. An archived copy is among them only if the agent no longer has the session. */
export function selectSessions(database: Database, filter: SessionFilter, marks: AllMarks): StoredSession[] {
  const { where, values } = conditions(filter, marks)
  return database
    .prepare(`SELECT ${storedColumns} FROM session ${where} ORDER BY updated_at DESC, id LIMIT ?`)
    .all(...values, filter.limit ?? -1) as StoredSession[]
}

export function countSessions(database: Database, filter: SessionFilter, marks: AllMarks): number {
  const { where, values } = conditions(filter, marks)
  return (database.prepare(`SELECT count(*) AS n FROM session ${where}`).get(...values) as { n: number }).n
}

export function hasSessions(database: Database, filter: SessionFilter, marks: AllMarks): boolean {
  const { where, values } = conditions(filter, marks)
  return database.prepare(`SELECT 1 FROM session ${where} LIMIT 1`).get(...values) !== undefined
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

const OVERVIEW = 'overview'
/** Below this, computing it takes no longer than reading what was stored. */
const WORTH_STORING = 500

/** Stored until a session changes (see the triggers in schema.ts): computing it looks at all of them. */
export function overview(database: Database): AgentOverview[] {
  const stored = getMeta(database, OVERVIEW)
  if (stored !== undefined) return JSON.parse(stored) as AgentOverview[]
  const computed = computeOverview(database)
  if (computed.reduce((sum, { sessions }) => sum + sessions, 0) < WORTH_STORING) return computed
  try {
    return transaction(database, () => {
      const now = computeOverview(database)
      setMeta(database, OVERVIEW, JSON.stringify(now))
      return now
    })
  } catch {
    // Somebody else writes, or nobody can: it is computed again next time.
    return computed
  }
}

function computeOverview(database: Database): AgentOverview[] {
  return database
    .prepare(
      `SELECT agent, ${totalColumns}, ifnull(sum(bytes) FILTER (WHERE store = agent), 0) AS bytes,
         max(updated_at) AS newest, sum(problems) AS problems
       FROM session WHERE ${NOT_A_COPY} GROUP BY agent ORDER BY newest DESC`,
    )
    .all() as AgentOverview[]
}

/** Of the sessions that the filter selects, with those of sub-agents and hidden ones. */
export function totals(database: Database, filter: SessionFilter, marks: AllMarks): SessionTotals {
  const { where, values } = conditions({ ...filter, subAgents: true, hidden: true }, marks)
  return database.prepare(`SELECT ${totalColumns} FROM session ${where}`).get(...values) as SessionTotals
}

/** What the filter leaves out. The condition is that of the index `session_unlisted`, so the others are not looked at. */
export function furtherSessions(database: Database, filter: SessionFilter, marks: AllMarks): FurtherSessions {
  const { where, values } = conditions({ ...filter, subAgents: true, hidden: true }, marks)
  return database
    .prepare(
      `SELECT count(*) FILTER (WHERE parent_session IS NOT NULL) AS sub_agents,
         count(*) FILTER (WHERE parent_session IS NULL) AS hidden
       FROM session ${where} AND (parent_session IS NOT NULL OR hidden = 1)`,
    )
    .get(...values) as FurtherSessions
}

/** Ion's archived log of a session of an agent; the newer one where there are two. */
export function copyOf(database: Database, id: string, agent: string): StoredSession | undefined {
  return database
    .prepare(
      `SELECT ${storedColumns} FROM session WHERE id = ? AND agent = ? AND store <> agent ORDER BY updated_at DESC`,
    )
    .get(id, agent) as StoredSession | undefined
}

/** Of the sessions that sub-agents of this session have, those of which it is known which tool call started them. */
export function subAgentsOf(database: Database, parent: string, marks: AllMarks): SubAgent[] {
  return selectSessions(database, { parent, hidden: true }, marks).flatMap((stored) => {
    const { spawned_by: call } = JSON.parse(stored.head) as Partial<SessionHead>
    return call === undefined ? [] : [{ id: stored.id, title: marks.get(stored).name ?? stored.title, call }]
  })
}

/** Which process has each of these sessions (native ids) of an agent open; see Agent.live. */
export type LiveOf = (agent: string, nativeIds: readonly string[]) => ReadonlyMap<string, number | false> | undefined

/** Rows as lists show them, with what is not in the session's own row: `archived`, `live` and the user's marks. */
export function listRows(
  database: Database,
  stored: readonly StoredSession[],
  marks: AllMarks,
  liveOf: LiveOf,
): SessionRow[] {
  const copies = database.prepare('SELECT 1 FROM session WHERE id = ? AND agent = ? AND store <> agent LIMIT 1')
  const idsOf = new Map<string, string[]>()
  for (const { agent, native_id } of stored) {
    const ids = idsOf.get(agent)
    if (ids) ids.push(native_id)
    else idsOf.set(agent, [native_id])
  }
  const live = new Map([...idsOf].map(([agent, ids]) => [agent, liveOf(agent, ids)]))
  return stored.map((session) => {
    const archived = session.store !== session.agent || copies.get(session.id, session.agent) !== undefined
    const holder = live.get(session.agent)?.get(session.native_id)
    return rowOf(session, { archived, live: holder === undefined ? null : holder !== false }, marks.get(session))
  })
}

export function conditions(filter: SessionFilter, marks: AllMarks): { where: string; values: Value[] } {
  const parts: string[] = [NOT_A_COPY]
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  // `likely`: otherwise a page of the newest sessions sorts all sessions of the agent instead of following the index of times.
  if (filter.agents?.length) add(`likely(agent IN (${filter.agents.map(() => '?').join(', ')}))`, ...filter.agents)
  if (filter.project !== undefined) add(...withinSql('project', filter.project))
  if (filter.since) add('updated_at >= ?', filter.since.toISOString())
  if (filter.until) add('updated_at < ?', filter.until.toISOString())
  if (!filter.hidden) add('hidden = 0')
  if (filter.onlyInArchive) add('store <> agent')
  if (filter.parent !== undefined) add('parent_session = ?', filter.parent)
  else if (!filter.subAgents) add('parent_session IS NULL')
  if (filter.tags?.length) add(...oneOfSql(marks.withTag(filter.tags)))
  if (filter.pinned) add(...oneOfSql(marks.pinned()))
  for (const word of filter.words ?? []) add(...hasWordSql(word.toLowerCase(), marks))
  return { where: `WHERE ${parts.join(' AND ')}`, values }
}

function hasWordSql(word: string, marks: AllMarks): [sql: string, ...values: Value[]] {
  const isIn = (text: string): boolean => text.toLowerCase().includes(word)
  // LIKE folds the case of ASCII, as lower() does, and takes a third of the time of joining the texts.
  const columns = ['title', 'cwd', 'agent', 'id']
  const sql = `(${columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')})`
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
  const values = columns.map(() => pattern)
  const marked = marks.where(({ name, tags }) => isIn(name ?? '') || tags.some(isIn))
  if (marked.length === 0) return [sql, ...values]
  const [isMarked, json] = oneOfSql(marked)
  return [`(${sql} OR ${isMarked})`, ...values, json]
}

/** An SQL condition: the session is one of these. */
export function oneOfSql(sessions: readonly MarkedSession[]): [sql: string, value: string] {
  const json = JSON.stringify(sessions.map(({ id, agent }) => [id, agent]))
  return ['(id, agent) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))', json]
}

/** An SQL condition: the path in `column` is `folder` or below it. */
export function withinSql(column: string, folder: string): [sql: string, ...values: Value[]] {
  const prefix = prefixOf(folder)
  // As a range, which an index answers: what begins with the prefix comes before its last character's successor.
  return [`(${column} = ? OR (${column} >= ? AND ${column} < ?))`, folder, prefix, `${prefix.slice(0, -1)}0`]
}
