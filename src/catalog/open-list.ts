import { existsSync } from 'node:fs'
import { liveLoaders, loaders } from '../agents/_loaders.ts'
import { marksReader } from '../organise/read-marks.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Freshness, Progress, SessionList } from './catalog.ts'
import { checkStores, isFresh, type StoreCheck } from './freshness.ts'
import { freshnessOf, recordFullCheck } from './full-check.ts'
import { catalogPath, openIndex } from './index-file.ts'
import { furtherSessions, hasSessions, type LiveOf, listRows, overview, selectSessions } from './select.ts'
import { shortIds } from './short-id.ts'
import { sourceErrors } from './source-errors.ts'

export interface OpenedList extends SessionList {
  readonly freshness: Freshness
  close(): void
}

interface ListOptions {
  /** Ask which sessions are open; without it `live` is null for all of them. */
  readonly live: boolean
  readonly onProgress: (progress: Progress) => void
}

/**
 * The up-to-date index for a list: only the adapters of stores in which something has changed are loaded.
 * Undefined where there is no index yet, and where anything at all goes wrong: then `openCatalog` repairs it, or says why not.
 */
export function openList(io: Io, { live, onProgress }: ListOptions): Promise<OpenedList | undefined> {
  return withIndex(io, onProgress, async (database, freshness) =>
    listOf(database, io, freshness, live ? await liveSessions(io) : () => undefined),
  )
}

/** The same for what `open` makes of the index, which it has to close unless it fails. */
export async function withIndex<T>(
  io: Io,
  onProgress: (progress: Progress) => void,
  open: (database: Database, freshness: Freshness) => Promise<T>,
): Promise<T | undefined> {
  const path = catalogPath(io)
  if (!existsSync(path)) return undefined
  let database: Database | undefined
  try {
    database = openIndex(path, () => {})
    if (!database) return undefined
    return await open(database, await updated(database, io, onProgress))
  } catch {
    database?.close()
    return undefined
  }
}

async function updated(database: Database, io: Io, onProgress: (progress: Progress) => void): Promise<Freshness> {
  const checks = checkStores(database, io, [...loaders.keys()])
  const stale = checks.filter((check) => !isFresh(check))
  const refreshed = stale.length === 0 ? none : await refresh(database, io, stale, onProgress)
  const fresh = checks.filter(isFresh)
  const sum = (of: (check: StoreCheck) => number): number => fresh.reduce((total, check) => total + of(check), 0)
  const known = refreshed.known + sum((check) => check.known)
  const checked = refreshed.checked + sum((check) => check.checked)
  const isFull = checked >= known
  // An index that cannot be written now is still right.
  if (isFull) attempt(() => recordFullCheck(database, io))
  return freshnessOf(database, { known, checked }, isFull, io)
}

const none = { known: 0, checked: 0 }

async function refresh(
  database: Database,
  io: Io,
  checks: readonly StoreCheck[],
  onProgress: (progress: Progress) => void,
): Promise<typeof none> {
  const [{ refreshChecked }, ...agents] = await Promise.all([
    import('./refresh.ts'),
    ...checks.map(({ agent }) => loaders.get(agent)!()),
  ])
  return refreshChecked(
    database,
    io,
    agents.map((agent) => agent.default),
    checks,
    { onProgress },
  )
}

async function liveSessions(io: Io): Promise<LiveOf> {
  const loaded = await Promise.all([...liveLoaders].map(async ([agent, load]) => [agent, await load()] as const))
  const byAgent = new Map(loaded)
  return (agent, nativeIds) => byAgent.get(agent)?.live(io, nativeIds)
}

function listOf(database: Database, io: Io, freshness: Freshness, liveOf: LiveOf): OpenedList {
  const marks = marksReader(io)
  return {
    freshness,
    sessions: (filter = {}) => listRows(database, selectSessions(database, filter, marks()), marks(), liveOf),
    has: (filter = {}) => hasSessions(database, filter, marks()),
    further: (filter = {}) => furtherSessions(database, filter, marks()),
    shortIds: (sessions) => shortIds(database, sessions),
    overview: () => overview(database),
    sourceErrors: () => sourceErrors(database),
    close: () => database.close(),
  }
}
