import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { type AgentSource, compareStores, type StoreCheck, type StoreFacts } from './freshness.ts'
import { compareLimit, FULL_CHECK } from './full-check.ts'
import { isMarkedForRetry } from './stamp.ts'
import type { Surroundings } from './surroundings.ts'

/** Of larger stores the newest: an old session that is continued is noticed by the next full check, */
const NEWEST = 100
/** or when it is among those that happen to be compared too. */
const OTHERS = 20

/** Compares the stores of these agents with what the index knows of them. */
export function checkStores(database: Database, io: Io, agents: readonly string[]): StoreCheck[] {
  return compareStores(readFacts(database, io, agents), io)
}

/** What the index knows of the stores of these agents, and which of their sources to compare now. */
export function readFacts(database: Database, io: Io, agents: readonly string[]): StoreFacts {
  const meta = metaValues(database)
  const withErrors = agentsWithListingErrors(database)
  const stores = agents.map((agent) => {
    const seen = meta.get(surroundingsKey(agent))
    return {
      agent,
      known: Number(meta.get(countKey(agent)) ?? 0),
      seen: seen === undefined ? undefined : (JSON.parse(seen) as Surroundings),
      hasListingErrors: withErrors.has(agent),
    }
  })
  const fullCheckAt = meta.get(FULL_CHECK) ?? null
  const limit = compareLimit(stores, fullCheckAt, io)
  const known = new Map(stores.map((store) => [store.agent, store.known]))
  return {
    stores,
    folders: database.prepare('SELECT agent, path, mtime FROM folder').all() as StoreFacts['folders'],
    sources: sourcesToCompare(database, known, limit, io),
    fullCheckAt,
    limit,
  }
}

export function countKey(agent: string): string {
  return `sources:${agent}`
}

export function surroundingsKey(agent: string): string {
  return `surroundings:${agent}`
}

function metaValues(database: Database): Map<string, string> {
  const rows = database.prepare('SELECT key, value FROM meta').all() as { key: string; value: string }[]
  return new Map(rows.map(({ key, value }) => [key, value]))
}

function agentsWithListingErrors(database: Database): Set<string> {
  const rows = database
    .prepare('SELECT DISTINCT agent FROM source_error WHERE source = 0 AND errno IS NOT NULL')
    .all() as { agent: string }[]
  return new Set(rows.map(({ agent }) => agent))
}

function sourcesToCompare(
  database: Database,
  known: ReadonlyMap<string, number>,
  limit: number,
  io: Io,
): AgentSource[] {
  const columns = 'source.id, source.agent, source.path, source.stamp'
  const large = new Set(known.keys())
  let left = limit
  for (const [agent, count] of [...known].sort(([, a], [, b]) => a - b)) {
    if (count > left) break
    left -= count
    large.delete(agent)
  }
  const small = [...known.keys()].filter((agent) => !large.has(agent))
  const places = small.map(() => '?').join(', ')
  const found = database
    .prepare(`SELECT ${columns} FROM source WHERE agent IN (${places})`)
    .all(...small) as AgentSource[]
  if (large.size === 0) return found
  const newest = database
    .prepare(
      `SELECT ${columns} FROM (SELECT source FROM session ORDER BY updated_at DESC LIMIT ${NEWEST}) AS newest
       JOIN source ON source.id = newest.source`,
    )
    .all()
  const failed = database.prepare(`SELECT ${columns} FROM source WHERE ${isMarkedForRetry}`).all()
  const others = database
    .prepare(`SELECT ${columns} FROM source WHERE id >= (SELECT max(id) FROM source) * ? ORDER BY id LIMIT ${OTHERS}`)
    .all(someShare(io.now()))
  const further = ([...newest, ...failed, ...others] as AgentSource[]).filter(({ agent }) => large.has(agent))
  return [...found, ...new Map(further.map((source) => [source.id, source])).values()]
}

/** Another number between 0 and 1 at each time, spread evenly. */
function someShare(now: Date): number {
  return (now.getTime() * 0.618033988749895) % 1
}
