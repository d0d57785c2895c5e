import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Freshness, RefreshOptions, RefreshReport, SourceError, SteppedCatalog } from './catalog.ts'
import { findStored } from './find-session.ts'
import { countSessions, eachSession, listSessions, overview, toRows } from './query.ts'
import { type RefreshResult, refreshSteps } from './refresh.ts'
import { searchSteps } from './search.ts'
import type { SearchHit } from './search-query.ts'
import { SelfHealingConnection } from './self-healing-connection.ts'
import { locatedOf, type StoredSession, storedColumns } from './stored-session.ts'
import { countUnindexed, indexSteps } from './text-index.ts'

/** Opens the catalogue of this machine. `onNotice` gets a line where it had to be built again. */
export function openCatalog(io: Io, onNotice: (line: string) => void = () => {}): SteppedCatalog {
  const connection = new SelfHealingConnection(io, onNotice)

  const refreshing = (options: RefreshOptions = {}): Generator<void, RefreshReport> =>
    connection.steps(function* (database) {
      const result = yield* refreshSteps(database, io, options)
      const { text, onProgress, gentle = false } = options
      if (text) yield* indexSteps(database, io, { onProgress, gentle })
      return {
        changed: result.changed,
        removed: result.removed,
        freshness: freshness(database, result, options.paths === undefined, io),
      }
    })
  const refresh = (options?: RefreshOptions): RefreshReport => last(refreshing(options))

  /** An answer from what is there; when that is damaged, from what there is after building it again. */
  const asked = <T>(query: (database: Database) => T): T => connection.run(query, () => void refresh())

  return {
    refresh,
    refreshSteps: refreshing,
    indexSome: (limit, maxBytes) =>
      asked((database) => {
        last(indexSteps(database, io, { onProgress: undefined, limit, maxBytes }))
        return countUnindexed(database, maxBytes)
      }),
    sessions: (filter = {}) => asked((database) => listSessions(database, io, filter)),
    eachSession: (filter = {}) =>
      connection.steps(
        (database) => eachSession(database, io, filter),
        () => void refresh(),
      ),
    count: (filter = {}) => asked((database) => countSessions(database, filter)),
    find: (reference) => asked((database) => toRows(database, io, [findStored(database, reference)])[0]!),
    locate: ({ id, path }) =>
      asked((database) => {
        const stored = database.prepare(`SELECT ${storedColumns} FROM session WHERE id = ? AND path = ?`).get(id, path)
        if (!stored) throw new IonError('not-found', `session ${id} is gone`, { hint: 'ion sessions --all' })
        return locatedOf(stored as StoredSession)
      }),
    overview: () => asked(overview),
    troubles: () =>
      asked(
        (database) =>
          database.prepare('SELECT agent, path, problem FROM trouble ORDER BY agent, path').all() as SourceError[],
      ),
    search: (query) =>
      connection.run(
        (database) => {
          const hits: SearchHit[] = []
          const rest = last(searchSteps(database, io, query), (hit) => hit && hits.push(hit))
          return { hits, ...rest }
        },
        () => void refresh({ text: true }),
      ),
    searchSteps: (query) =>
      connection.steps(
        (database) => searchSteps(database, io, query),
        () => void refresh({ text: true }),
      ),
    recall: (key) =>
      asked(
        (database) =>
          (database.prepare('SELECT value FROM note WHERE key = ?').get(`fact:${key}`) as { value: string } | undefined)
            ?.value,
      ),
    remember: (key, value) =>
      asked(
        (database) =>
          void database.prepare('INSERT OR REPLACE INTO note(key, value) VALUES (?, ?)').run(`fact:${key}`, value),
      ),
    close: () => connection.close(),
  }
}

/** Walks all steps at once, and gives the result. */
function last<T, R>(steps: Generator<T, R>, onStep: (step: T) => void = () => {}): R {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    onStep(step.value)
  }
}

/** How old the note of the last full check may get before it is written anew: most runs write nothing. */
const NOTE_MS = 30_000

function freshness(database: Database, result: RefreshResult, whole: boolean, io: Io): Freshness {
  const { checked, known } = result
  const row = database.prepare("SELECT value FROM note WHERE key = 'full-check'").get() as { value: string } | undefined
  let fullCheckAt = row?.value ?? null
  if (whole && checked === known) {
    const now = io.now()
    if (fullCheckAt === null || now.getTime() - Date.parse(fullCheckAt) > NOTE_MS) {
      database.prepare("INSERT OR REPLACE INTO note(key, value) VALUES ('full-check', ?)").run(now.toISOString())
    }
    fullCheckAt = now.toISOString()
  }
  return {
    checked,
    known,
    fullCheckAt,
    // Counted when asked: most lists do not.
    get unindexed() {
      return countUnindexed(database)
    },
  }
}
