import type { AllMarks } from '../organise/marks.ts'
import type { Database, Value } from '../platform/sqlite.ts'
import type { FurtherSessions } from './catalog.ts'
import { conditions } from './select.ts'
import type { SessionFilter } from './session-row.ts'

/** As much of a session as a list of very many shows. */
export interface PageRow {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  /** The agent's; the user's own name for it is among the marks. */
  readonly title: string | null
  readonly project: string | null
  readonly updated_at: string | null
  readonly messages: number
  readonly model: string | null
  readonly store: string
  readonly hidden: number
  readonly parent_session: string | null
  readonly path: string
  /** Records that could not be read. */
  readonly problems: number
  /** All of its tokens, of every kind. */
  readonly tokens: number
  /** Another agent has a session of the same id, such as one that it has taken over. */
  readonly is_shared: number
}

export interface ListPage {
  readonly rows: readonly PageRow[]
  /** All that the filter selects. */
  readonly total: number
  readonly further: FurtherSessions
}

/** A page without the counts: of very many sessions they take longer than the rows. */
export function pageRows(
  database: Database,
  filter: SessionFilter & { readonly limit: number },
  after: PageCursor | undefined,
  marks: AllMarks,
): PageRow[] {
  const [position, ...place] = after ? positionSql(after) : ['1']
  const { where, values } = conditions(filter, marks)
  const sql = `WITH page AS MATERIALIZED (SELECT ${columns.join(', ')} FROM session ${where} AND ${position} ${order}),
    ${shared} SELECT page.*, ${isShared} FROM page ORDER BY updated_at DESC, id`
  return database.prepare(sql).all(...values, ...place, filter.limit) as PageRow[]
}

/** Whether another agent has a session of the same id. */
export function isIdShared(database: Database, { id, agent }: Pick<PageRow, 'id' | 'agent'>): boolean {
  return (
    database.prepare('SELECT 1 FROM stored_session WHERE id = ? AND agent <> ? LIMIT 1').get(id, agent) !== undefined
  )
}

/** The last row of the page before. */
export type PageCursor = Pick<PageRow, 'updated_at' | 'id'>

const columns = [
  'id', 'agent', 'native_id', 'title', 'project', 'updated_at', 'messages', 'model', 'store', 'hidden', 'parent_session',
  'path', 'problems', 'input + output + cache_read + cache_write AS tokens',
] // biome-ignore format: a list

const order = 'ORDER BY updated_at DESC, id LIMIT ?'

/** Of the sessions of `page`, looked up once for all: while the index is filled, it has no index of ids. */
const shared = `shared AS MATERIALIZED (SELECT id FROM stored_session WHERE id IN (SELECT id FROM page)
  GROUP BY id HAVING min(agent) <> max(agent))`
const isShared = 'page.id IN (SELECT id FROM shared) AS is_shared'

/** A page of the list, newest first, and the counts beside it: one query, since pages ask for it all the time. */
export function listPage(
  database: Database,
  filter: SessionFilter & { readonly limit: number },
  after: PageCursor | undefined,
  marks: AllMarks,
): ListPage {
  const [position, ...place] = after ? positionSql(after) : ['1']
  const all = conditions({ ...filter, subAgents: true, hidden: true }, marks)
  const page = conditions(filter, marks)
  const hasWords = filter.words !== undefined && filter.words.length > 0
  const counts = `SELECT count(*) AS n, count(*) FILTER (WHERE parent_session IS NOT NULL) AS sub_agents,
    count(*) FILTER (WHERE parent_session IS NULL AND hidden = 1) AS hidden_ones`
  // Words are looked for in every row, so once for both. Otherwise the newest rows are found without looking at the others.
  const sql = hasWords
    ? `WITH found AS MATERIALIZED (SELECT key, id, updated_at, parent_session, hidden FROM session ${all.where}),
       page AS MATERIALIZED (SELECT ${columns.join(', ')} FROM session WHERE key IN
         (SELECT key FROM found WHERE ${listedSql(filter)} AND ${position} ${order})), ${shared}
       SELECT counts.*, page.*, ${isShared} FROM (${counts} FROM found) AS counts`
    : `WITH page AS MATERIALIZED (SELECT ${columns.join(', ')} FROM session ${page.where} AND ${position} ${order}),
       ${shared} SELECT counts.*, page.*, ${isShared} FROM (${counts} FROM session ${all.where}) AS counts`
  const values = hasWords
    ? [...all.values, ...place, filter.limit]
    : [...page.values, ...place, filter.limit, ...all.values]
  const found = database
    .prepare(`${sql} LEFT JOIN page ON 1 ORDER BY page.updated_at DESC, page.id`)
    .all(...values) as (PageRow & Counts)[]
  const { n, sub_agents, hidden_ones: hidden } = found[0]!
  const isIn = { sub_agents: filter.subAgents || filter.parent !== undefined, hidden: filter.hidden }
  return {
    // The join gives one row of nulls where there is no session.
    rows: found.filter(({ id }) => id !== null),
    total: n - (isIn.sub_agents ? 0 : sub_agents) - (isIn.hidden ? 0 : hidden),
    further: { sub_agents: isIn.sub_agents ? 0 : sub_agents, hidden: isIn.hidden ? 0 : hidden },
  }
}

/** Of what was found with sub-agents and hidden ones, that which the filter selects. */
function listedSql({ hidden, subAgents, parent }: SessionFilter): string {
  const parts = [hidden ? '1' : 'hidden = 0', subAgents || parent !== undefined ? '1' : 'parent_session IS NULL']
  return parts.join(' AND ')
}

interface Counts {
  readonly n: number
  readonly sub_agents: number
  readonly hidden_ones: number
}

/** Sessions without a time are at the end. */
function positionSql({ updated_at, id }: PageCursor): [sql: string, ...values: Value[]] {
  if (updated_at === null) return ['updated_at IS NULL AND id > ?', id]
  return ['(updated_at < ? OR updated_at IS NULL OR (updated_at = ? AND id > ?))', updated_at, updated_at, id]
}

export interface ProjectCount {
  readonly path: string
  readonly sessions: number
}

/** The most recently used projects. */
export function listProjects(database: Database, limit: number, marks: AllMarks): ProjectCount[] {
  const { where, values } = conditions({}, marks)
  return database
    .prepare(
      `SELECT project AS path, count(*) AS sessions FROM session ${where} AND project IS NOT NULL
       GROUP BY project ORDER BY max(updated_at) DESC LIMIT ?`,
    )
    .all(...values, limit) as ProjectCount[]
}
