import type { Database, Value } from '../../platform/sqlite.ts'
import { withinSql } from '../select.ts'
import type { SessionRow } from '../session-row.ts'
import { NOT_A_COPY } from '../stored-session.ts'
import type { SearchQuery } from './query.ts'

export interface ListedSession {
  readonly key: number
  readonly updated_at: string | null
  /** As in SessionTotals. */
  readonly kind: 'sessions' | 'sub_agents' | 'hidden'
}

/** The sessions that the filters select, newest first, an original before its fork. */
export function listedSessions(database: Database, query: SearchQuery): ListedSession[] {
  const parts: string[] = [NOT_A_COPY]
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  const contains = (column: string, texts: readonly string[]): void => {
    if (texts.length === 0) return
    const each = texts.map(() => `instr(lower(coalesce(${column}, '')), ?) > 0`).join(' OR ')
    add(`(${each})`, ...texts.map((text) => text.toLowerCase()))
  }
  if (query.agents.length) add(`agent IN (${query.agents.map(() => '?').join(', ')})`, ...query.agents)
  if (query.folder !== undefined) add(...withinSql('cwd', query.folder))
  if (query.since) add('updated_at >= ?', query.since.toISOString())
  if (query.before) add("coalesce(created_at, '') < ?", query.before.toISOString())
  if (query.states.includes('hidden')) add('hidden = 1')
  if (query.states.includes('sub-agent')) add('parent_session IS NOT NULL')
  contains('title', query.titles)
  contains('coalesce(project, cwd)', query.projects)
  contains('model', query.models)
  return database
    .prepare(
      `SELECT key, updated_at, iif(parent_session IS NOT NULL, 'sub_agents', iif(hidden = 1, 'hidden', 'sessions')) AS kind
       FROM session WHERE ${parts.join(' AND ')} ORDER BY updated_at DESC, forked_from IS NOT NULL`,
    )
    .all(...values) as ListedSession[]
}

/** States that are not in the index. */
export function passesStates(row: SessionRow, { states }: SearchQuery): boolean {
  return (!states.includes('archived') || row.archived) && (!states.includes('live') || row.live === true)
}
