import { liveLoaders, loaders } from '../agents/_loaders.ts'
import { marksReader } from '../organise/read-marks.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type Database, isSqliteError } from '../platform/sqlite.ts'
import type { Freshness, Progress, SessionList } from './catalog.ts'
import { compareStores, isFresh, type StoreCheck, sumOf } from './freshness.ts'
import { freshnessOf, isAlwaysFull, lastFullCheck, recordFullCheck } from './full-check.ts'
import { catalogPath } from './index-file.ts'
import { indexState, type ListFile, remembering, writeListFile } from './list-file.ts'
import { openIndex } from './open-index.ts'
import type { ListOptions, OpenedList } from './open-list.ts'
import { furtherSessions, hasSessions, type LiveOf, listRows, overview, selectSessions } from './select.ts'
import { shortIds } from './short-id.ts'
import { sourceErrors } from './source-errors.ts'
import { readFacts } from './store-facts.ts'

/** The list file, which describes the index as it is, and what has changed in the stores since then. */
interface Known {
  readonly file: ListFile
  readonly checks: readonly StoreCheck[]
}

/** A list of the index itself; see openList. What it answers is written to the list file. */
export async function openDatabaseList(io: Io, options: ListOptions, known?: Known): Promise<OpenedList | undefined> {
  let database: Database | undefined
  try {
    const state = indexState(io)?.text
    if (state === undefined) return undefined
    const readAt = io.now().getTime()
    database = openIndex(catalogPath(io), () => {})
    if (!database) return undefined
    const current = known?.file.state === state ? known : undefined
    const file = current?.file ?? { state, facts: readFacts(database, io, agentIds), answers: {}, readAt }
    const checks = current?.checks ?? compareStores(file.facts, io)
    const freshness = await updated(database, io, checks, options.onProgress)
    const list = listOf(database, io, options.live ? await liveSessions(io) : () => undefined)
    const opened = { freshness, isUnanswered: isSqliteError, instead: async () => undefined }
    const close = (): void => database?.close()
    if (options.live || !checks.every(isFresh)) return { ...opened, ...list, close }
    const answers: Record<string, unknown> = { ...file.answers }
    return {
      ...opened,
      ...remembering(list, answers),
      close() {
        close()
        writeListFile(io, { ...file, answers })
      },
    }
  } catch {
    database?.close()
    return undefined
  }
}

const agentIds = [...loaders.keys()]

/** What `open` makes of the up-to-date index, which it has to close unless it fails. Undefined as for a list. */
export async function withIndex<T>(
  io: Io,
  onProgress: (progress: Progress) => void,
  open: (database: Database) => Promise<T>,
): Promise<T | undefined> {
  let database: Database | undefined
  try {
    if (!indexState(io)) return undefined
    database = openIndex(catalogPath(io), () => {})
    if (!database) return undefined
    await updated(database, io, compareStores(readFacts(database, io, agentIds), io), onProgress)
    return await open(database)
  } catch {
    database?.close()
    return undefined
  }
}

async function updated(
  database: Database,
  io: Io,
  checks: readonly StoreCheck[],
  onProgress: (progress: Progress) => void,
): Promise<Freshness> {
  const stale = checks.filter((check) => !isFresh(check))
  const refreshed = stale.length === 0 ? sumOf([]) : await refresh(database, io, stale, onProgress)
  const fresh = sumOf(checks.filter(isFresh))
  const counts = { known: refreshed.known + fresh.known, checked: refreshed.checked + fresh.checked }
  const isFull = counts.checked >= counts.known
  // An index that cannot be written now is still right.
  if (isFull && !isAlwaysFull(counts)) attempt(() => recordFullCheck(database, io))
  return freshnessOf(counts, isFull, lastFullCheck(database), io)
}

async function refresh(
  database: Database,
  io: Io,
  checks: readonly StoreCheck[],
  onProgress: (progress: Progress) => void,
): Promise<{ readonly known: number; readonly checked: number }> {
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

function listOf(database: Database, io: Io, liveOf: LiveOf): SessionList {
  const marks = marksReader(io)
  return {
    sessions: (filter = {}) => listRows(database, selectSessions(database, filter, marks()), marks(), liveOf),
    has: (filter = {}) => hasSessions(database, filter, marks()),
    further: (filter = {}) => furtherSessions(database, filter, marks()),
    shortIds: (sessions) => shortIds(database, sessions),
    overview: () => overview(database),
    sourceErrors: () => sourceErrors(database),
  }
}
