import { agents } from '../agents/_registry.ts'
import { marksReader } from '../organise/read-marks.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { callsOf } from './calls/calls.ts'
import type { RefreshOptions, RefreshReport, SteppedCatalog } from './catalog.ts'
import { discardUnused } from './connection.ts'
import { findStored } from './find-session.ts'
import { freshnessOf, lastFullCheck, recordFullCheck } from './full-check.ts'
import { catalogPath, IN_MEMORY } from './index-file.ts'
import { isIdShared, listPage, listProjects, pageRows } from './list-page.ts'
import { eachSession, listSessions, toRows } from './query.ts'
import { refreshSteps } from './refresh.ts'
import type { SearchHit } from './search/query.ts'
import { searchSteps } from './search/search.ts'
import { copyOf, countSessions, furtherSessions, hasSessions, overview, subAgentsOf, totals } from './select.ts'
import { type InMemory, SelfHealingConnection } from './self-healing-connection.ts'
import { shortIds } from './short-id.ts'
import { sourceErrors } from './source-errors.ts'
import { archivedLogOf, locatedOf, type StoredSession, storedColumns } from './stored-session.ts'

/**
 * Opens the index of this machine. `onNotice` gets a line if it has to be rebuilt, or if the disk is full or may not be
 * written: then it is one in memory, which contains what the first refresh finds. Throws where there can be no folder.
 */
export function openCatalog(
  io: Io,
  onNotice: (line: string) => void = () => {},
  inMemory: InMemory = 'unwritable',
): SteppedCatalog {
  return openAt(io, new SelfHealingConnection(catalogPath(io), onNotice, inMemory))
}

/** An empty index in memory: nothing is written to disk. */
export function openMemoryCatalog(io: Io): SteppedCatalog {
  return openAt(io, new SelfHealingConnection(IN_MEMORY, () => {}))
}

function openAt(io: Io, connection: SelfHealingConnection): SteppedCatalog {
  const refreshing = (options: RefreshOptions = {}): Generator<void, RefreshReport> =>
    connection.steps(function* (database) {
      const result = yield* refreshSteps(database, io, agents, options)
      const { changed, removed } = result
      const isFull = options.paths === undefined && result.checked === result.known
      if (isFull && recordFullCheck(database, io) && connection.isOnDisk) discardUnused(io)
      return { changed, removed, freshness: freshnessOf(result, isFull, lastFullCheck(database), io) }
    })
  const marks = marksReader(io)
  const refresh = (options?: RefreshOptions): RefreshReport => last(refreshing(options))

  /** Queries the index; if it is damaged, again after rebuilding it. */
  const ask = <T>(query: (database: Database) => T): T => connection.run(query, () => void refresh())

  return {
    refresh,
    refreshSteps: refreshing,
    sessions: (filter = {}) => ask((database) => listSessions(database, io, filter, marks())),
    eachSession: (filter = {}) =>
      connection.steps(
        (database) => eachSession(database, io, filter, marks()),
        () => void refresh(),
      ),
    page: (filter, after) => ask((database) => listPage(database, filter, after, marks())),
    pageRows: (filter, after) => ask((database) => pageRows(database, filter, after, marks())),
    isIdShared: (session) => ask((database) => isIdShared(database, session)),
    projects: (limit) => ask((database) => listProjects(database, limit, marks())),
    has: (filter = {}) => ask((database) => hasSessions(database, filter, marks())),
    count: (filter = {}) => ask((database) => countSessions(database, filter, marks())),
    find: (reference) =>
      ask((database) => toRows(database, io, [findStored(database, reference, marks())], marks())[0]!),
    shortIds: (sessions) => ask((database) => shortIds(database, sessions)),
    locate: ({ id, path }) =>
      ask((database) => {
        const stored = database.prepare(`SELECT ${storedColumns} FROM session WHERE id = ? AND path = ?`).get(id, path)
        if (!stored) throw new IonError('not-found', `session ${id} no longer exists`, { hint: 'ion sessions --all' })
        return locatedOf(stored as StoredSession, agents)
      }),
    locateArchived: ({ id, agent }) =>
      ask((database) => {
        const stored = copyOf(database, id, agent)
        return stored && archivedLogOf(stored, agents)
      }),
    subAgents: ({ id }) => ask((database) => subAgentsOf(database, id, marks())),
    overview: () => ask(overview),
    totals: (filter = {}) => ask((database) => totals(database, filter, marks())),
    further: (filter = {}) => ask((database) => furtherSessions(database, filter, marks())),
    sourceErrors: () => ask(sourceErrors),
    calls: (questions) => ask((database) => questions(callsOf(database, (session) => marks().get(session).name))),
    search: (query) =>
      connection.run(
        (database) => {
          const hits: SearchHit[] = []
          const rest = last(searchSteps(database, io, query, marks()), (hit) => hit && hits.push(hit))
          return { hits, ...rest }
        },
        () => void refresh(),
      ),
    searchSteps: (query, onSearched) =>
      connection.steps(
        (database) => searchSteps(database, io, query, marks(), onSearched),
        () => void refresh(),
      ),
    redirectNotices(to) {
      const before = connection.onNotice
      connection.onNotice = to
      return before
    },
    unusable: () => connection.unusable,
    close: () => connection.close(),
  }
}

/** Runs all steps at once, and returns the result. */
function last<T, R>(steps: Generator<T, R>, onStep: (step: T) => void = () => {}): R {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    onStep(step.value)
  }
}
