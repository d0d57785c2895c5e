import { prefixOf } from '../../platform/project.ts'
import type { Database, Value } from '../../platform/sqlite.ts'
import { settleCalls } from './settle.ts'

/** Local days begin at a quarter of an hour of UTC in every time zone, so groups of this length belong to one day. */
export const SLOT_MS = 15 * 60_000

/**
 * The price of calls of a model within a time and a length: micro-dollars per million tokens, null where unknown. What a caller
 * knows about prices is passed as plain numbers, so that each call is charged where it is stored.
 */
export interface CallRate {
  readonly model: string
  readonly tier: 'standard' | 'flex' | 'priority'
  /** Milliseconds since 1970: from then on, and before. */
  readonly from: number
  readonly to: number
  /** Total input above, and up to. */
  readonly above: number
  readonly upTo: number
  readonly input: number | null
  readonly output: number | null
  readonly cache_read: number | null
  readonly cache_write: number | null
  readonly cache_write_1h: number | null
}

export interface CallFilter {
  readonly agents?: readonly string[]
  /** This project and folders below it. */
  readonly project?: string
  /** Exact names. */
  readonly models?: readonly string[]
  readonly since?: Date
  readonly until?: Date
  /** Only calls of the session with this id. */
  readonly session?: string
}

/** What calls are grouped by, beside their model. */
export interface CallDimensions {
  readonly slot?: boolean
  readonly session?: boolean
  readonly project?: boolean
}

/** Sums of calls with the same model, agent, tier and whatever else was asked for. */
export interface CallGroup {
  readonly agent: string
  /** Null where the agent does not store it. */
  readonly model: string | null
  /** Quarter of an hour, counted since 1970. */
  readonly slot: number | null
  /** The id of the session. */
  readonly session: string | null
  readonly project: string | null
  /** Milliseconds since 1970, of the first and the last call. */
  readonly first: number
  readonly last: number
  readonly calls: number
  /** Of these, those that are sums of several calls. */
  readonly sums: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cache_write_1h: number
  readonly reasoning: number
  /** In micro-dollars, each call rounded by itself; null if no call has a price. */
  readonly cost: number | null
  readonly unpriced_calls: number
  readonly unpriced_tokens: number
  readonly cost_given: number | null
  readonly cost_where_given: number | null
}

const KINDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const

/** The tokens that are charged as each kind: `cache_write` contains what is kept for an hour. */
const charges = KINDS.map((kind) => [
  kind,
  kind === 'cache_write' ? 'max(0, whole.cache_write - whole.cache_write_1h)' : `whole.${kind}`,
])

/** The groups of the calls that the filter selects, each call once. */
export function groupCalls(
  database: Database,
  filter: CallFilter,
  by: CallDimensions,
  rates: readonly CallRate[],
): CallGroup[] {
  settleCalls(database)
  putRates(database, rates)
  const { where, values } = conditions(filter)
  const dimension = (isWanted: boolean | undefined, sql: string): string => (isWanted ? sql : 'NULL')
  // Summed by numbers first, since sorting so many texts would take longer than everything else.
  return database
    .prepare(
      `WITH whole AS (
         SELECT session, min(at) AS at, model, tier, ${columns((name) => `sum(${name}) AS ${name}`)},
           sum(cost) AS given, max(is_sum) AS is_sum
         FROM model_call ${where} GROUP BY session, identity),
       priced AS (
         SELECT session, at, whole.model, ${columns((name) => `whole.${name}`)}, given, is_sum, rate.model IS NOT NULL AS has_rate,
           ${charges.map(([, tokens]) => tokens).join(' + ')} AS tokens,
           ${charges.map(([kind, tokens]) => `iif(rate.${kind} IS NULL, ${tokens}, 0)`).join(' + ')} AS unpriced,
           ${charges.map(([kind, tokens]) => `ifnull(rate.${kind}, 0) * ${tokens}`).join(' + ')} AS exact
         FROM whole LEFT JOIN temp.call_rate AS rate
           ON rate.model = whole.model AND rate.tier = ifnull(whole.tier, 'standard') AND at >= rate.start AND at < rate.stop
           AND whole.input + whole.cache_read + whole.cache_write > rate.above
           AND whole.input + whole.cache_read + whole.cache_write <= rate.up_to),
       charged AS (
         SELECT session, ${dimension(by.slot, `at / ${SLOT_MS}`)} AS slot, model, at, is_sum, given, ${columns((name) => name)},
           -- Nothing of it has a price, although there is something to pay for.
           iif(has_rate AND (tokens = 0 OR unpriced < tokens), (exact + 500000) / 1000000, NULL) AS cost,
           iif(has_rate, unpriced, tokens) AS unpriced_tokens
         FROM priced),
       summed AS (
         SELECT session, model, slot, min(at) AS first, max(at) AS last, count(*) AS calls, count(is_sum) AS sums,
           ${columns((name) => `sum(${name}) AS ${name}`)}, sum(cost) AS cost, count(*) - count(cost) AS unpriced_calls,
           sum(unpriced_tokens) AS unpriced_tokens, sum(given) AS cost_given,
           sum(iif(given IS NULL, NULL, cost)) AS cost_where_given
         FROM charged GROUP BY session, model, slot)
       SELECT stored.agent, model.name AS model, slot, ${dimension(by.session, 'stored.id')} AS session,
         ${dimension(by.project, 'ifnull(stored.project, stored.cwd)')} AS project, min(first) AS first, max(last) AS last,
         ${['calls', 'sums', 'unpriced_calls', 'unpriced_tokens', 'cost_given', 'cost_where_given'].map((name) => `sum(summed.${name}) AS ${name}`).join(', ')},
         ${columns((name) => `sum(summed.${name}) AS ${name}`)}, sum(summed.cost) AS cost
       FROM summed JOIN stored_session AS stored ON stored.key = summed.session LEFT JOIN model ON model.id = summed.model
       GROUP BY 1, 2, 3, 4, 5`,
    )
    .all(...values) as CallGroup[]
}

const TOKENS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h', 'reasoning'] as const

function columns(sql: (name: string) => string): string {
  return TOKENS.map(sql).join(', ')
}

function conditions(filter: CallFilter): { readonly where: string; readonly values: Value[] } {
  const parts: string[] = ['repeats = 0']
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  if (filter.since) add('at >= ?', filter.since.getTime())
  if (filter.until) add('at < ?', filter.until.getTime())
  if (filter.models)
    add('model IN (SELECT id FROM model WHERE name IN (SELECT value FROM json_each(?)))', JSON.stringify(filter.models))
  const sessions: string[] = []
  const ofSession = (sql: string, ...more: Value[]): void => {
    sessions.push(sql)
    values.push(...more)
  }
  if (filter.agents?.length) ofSession('agent IN (SELECT value FROM json_each(?))', JSON.stringify(filter.agents))
  if (filter.session !== undefined) ofSession('id = ?', filter.session)
  if (filter.project !== undefined) {
    const prefix = prefixOf(filter.project)
    const project = 'ifnull(project, cwd)'
    ofSession(
      `(${project} = ? OR (${project} >= ? AND ${project} < ?))`,
      filter.project,
      prefix,
      `${prefix.slice(0, -1)}0`,
    )
  }
  if (sessions.length > 0) parts.push(`session IN (SELECT key FROM stored_session WHERE ${sessions.join(' AND ')})`)
  return { where: `WHERE ${parts.join(' AND ')}`, values }
}

/** For the models that occur; in a temporary table, which only this connection sees. */
function putRates(database: Database, rates: readonly CallRate[]): void {
  database.exec(`
    CREATE TEMP TABLE IF NOT EXISTS call_rate(model INTEGER, tier TEXT, start INTEGER, stop INTEGER, above INTEGER, up_to INTEGER,
      input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cache_write_1h INTEGER);
    CREATE INDEX IF NOT EXISTS temp.call_rate_by_model ON call_rate(model, tier);
    DELETE FROM temp.call_rate`)
  const put = database.prepare(
    'INSERT INTO temp.call_rate SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM model WHERE name = ?',
  )
  for (const rate of rates) {
    const kinds = KINDS.map((kind) => rate[kind])
    put.run(rate.tier, rate.from, rate.to, rate.above, rate.upTo, ...kinds, rate.model)
  }
}
