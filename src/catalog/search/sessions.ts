import { agents } from '../../agents/_registry.ts'
import type { AllMarks } from '../../organise/marks.ts'
import type { Database, Value } from '../../platform/sqlite.ts'
import { oneOfSql, withinSql } from '../select.ts'
import type { SessionRow } from '../session-row.ts'
import { NOT_A_COPY } from '../stored-session.ts'
import type { SearchQuery } from './query.ts'

/** As much of a session as it takes to look for text in it. */
export interface ListedSession {
  readonly key: number
  readonly id: string
  readonly agent: string
  /** The agent whose store it is in. */
  readonly store: string
  readonly path: string
  readonly format: string
  readonly title: string | null
  readonly updated_at: string | null
  /** As in SessionTotals. */
  readonly kind: 'sessions' | 'sub_agents' | 'hidden'
}

const LISTED: Readonly<Record<keyof ListedSession, string>> = {
  key: 'key',
  id: 'id',
  agent: 'agent',
  store: 'store',
  path: 'path',
  format: "head ->> '$.format'",
  title: 'title',
  updated_at: 'updated_at',
  kind: "iif(parent_session IS NOT NULL, 'sub_agents', iif(hidden = 1, 'hidden', 'sessions'))",
}

/** So many are listed at first, and then: often the newest are enough, and listing very many makes a server wait. */
const NEWEST = [200, 5000]
const PAGE = 500

/** The sessions that the filters select, newest first, an original before its fork. */
export function* listedSessions(database: Database, query: SearchQuery, marks: AllMarks): Generator<ListedSession> {
  const { where, values } = conditions(query, marks)
  const select = database.prepare(
    `SELECT json_group_array(key) AS keys FROM
       (SELECT key FROM session WHERE ${where} ORDER BY updated_at DESC, forked_from IS NOT NULL LIMIT ?)`,
  )
  // Others may have been added, or have changed their place, meanwhile.
  const seen = new Set<number>()
  for (const limit of [...NEWEST, -1]) {
    const { keys } = select.get(...values, limit) as { keys: string }
    const found = JSON.parse(keys) as number[]
    const more = found.filter((key) => !seen.has(key))
    for (const key of more) seen.add(key)
    yield* sessionsOf(database, more)
    if (found.length < limit) return
  }
}

export function countListed(database: Database, query: SearchQuery, marks: AllMarks): number {
  const { where, values } = conditions(query, marks)
  return (database.prepare(`SELECT count(*) AS n FROM session WHERE ${where}`).get(...values) as { n: number }).n
}

/** Those that still exist. As JSON: reading many rows value by value takes twice as long. */
function* sessionsOf(database: Database, keys: readonly number[]): Generator<ListedSession> {
  const fields = Object.entries(LISTED).map(([name, sql]) => `'${name}', ${sql}`)
  const select = database.prepare(
    `SELECT json_group_array(json_object(${fields.join(', ')})) AS page FROM session
     WHERE key IN (SELECT value FROM json_each(?))`,
  )
  for (let at = 0; at < keys.length; at += PAGE) {
    const wanted = keys.slice(at, at + PAGE)
    const { page } = select.get(JSON.stringify(wanted)) as { page: string }
    const found = new Map((JSON.parse(page) as ListedSession[]).map((session) => [session.key, session]))
    for (const key of wanted) {
      const session = found.get(key)
      if (session) yield session
    }
  }
}

/** The key of Ion's archived log of each session that has one, by the session's key; the newer one where there are two. */
export function archivedLogs(database: Database): ReadonlyMap<number, number> {
  const archives = agents.filter(({ isArchive }) => isArchive).map(({ id }) => id)
  const marks = archives.map(() => '?').join(', ')
  // Of all sessions only those of its sources are looked at.
  const found = database
    .prepare(
      `SELECT session.key, log.key AS log FROM session AS log JOIN session ON session.id = log.id
         AND session.agent = log.agent AND session.store = session.agent
       WHERE log.source IN (SELECT id FROM source WHERE agent IN (${marks})) ORDER BY log.updated_at`,
    )
    .all(...archives) as { key: number; log: number }[]
  return new Map(found.map(({ key, log }) => [key, log]))
}

function conditions(query: SearchQuery, marks: AllMarks): { where: string; values: Value[] } {
  const parts: string[] = [NOT_A_COPY]
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  const contains = (column: string, texts: readonly string[], ...alternative: string[]): void => {
    if (texts.length === 0) return
    const [sql, ...more] = alternative
    const each = texts.map(() => `instr(lower(coalesce(${column}, '')), ?) > 0`)
    add(`(${[...each, ...(sql ? [sql] : [])].join(' OR ')})`, ...texts.map((text) => text.toLowerCase()), ...more)
  }
  if (query.agents.length) add(`agent IN (${query.agents.map(() => '?').join(', ')})`, ...query.agents)
  if (query.folder !== undefined) add(...withinSql('cwd', query.folder))
  if (query.since) add('updated_at >= ?', query.since.toISOString())
  if (query.before) add("coalesce(created_at, '') < ?", query.before.toISOString())
  if (query.states.includes('hidden')) add('hidden = 1')
  if (query.states.includes('sub-agent')) add('parent_session IS NOT NULL')
  if (query.states.includes('pinned')) add(...oneOfSql(marks.pinned()))
  if (query.tags.length) add(...oneOfSql(marks.withTag(query.tags)))
  const isNamed = (name: string): boolean =>
    query.titles.some((title) => name.toLowerCase().includes(title.toLowerCase()))
  contains('title', query.titles, ...oneOfSql(marks.where(({ name }) => name !== null && isNamed(name))))
  contains('coalesce(project, cwd)', query.projects)
  contains('model', query.models)
  return { where: parts.join(' AND '), values }
}

/** States that are not in the index. */
export function passesStates(row: SessionRow, { states }: SearchQuery): boolean {
  return (!states.includes('archived') || row.archived) && (!states.includes('live') || row.live === true)
}
