import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Catalog, Freshness, RefreshOptions, RefreshReport, Trouble } from './catalog.ts'
import { connect, isDamage } from './connection.ts'
import { findStored } from './find-session.ts'
import { countSessions, listSessions, overview, toRows } from './query.ts'
import { type RefreshResult, refreshSessions } from './refresh.ts'
import { search } from './search.ts'
import { locatedOf, type StoredSession, storedColumns } from './stored-session.ts'
import { countUnindexed, indexTexts } from './text-index.ts'

/** Opens the catalogue of this machine. `onNotice` gets a line where it had to be built again. */
export function openCatalog(io: Io, onNotice: (line: string) => void = () => {}): Catalog {
  let database = connect(io, onNotice)

  /** Damage found in the middle of work: built anew, and the work done once more. */
  const mending = <T>(work: (database: Database) => T): T => {
    try {
      return work(database)
    } catch (error) {
      if (!isDamage(error)) throw error
      database.close()
      database = connect(io, onNotice)
      return work(database)
    }
  }

  const refresh = (options: RefreshOptions = {}): RefreshReport =>
    mending((db) => {
      const result = refreshSessions(db, io, options)
      if (options.text) indexTexts(db, io, { onProgress: options.onProgress })
      return { changed: result.changed, removed: result.removed, freshness: freshness(db, result, io) }
    })

  return {
    refresh,
    indexSome: (limit, maxBytes) =>
      mending((db) => {
        indexTexts(db, io, { onProgress: undefined, limit, maxBytes })
        return countUnindexed(db, maxBytes)
      }),
    sessions: (filter = {}) => listSessions(database, io, filter),
    count: (filter = {}) => countSessions(database, filter),
    find: (reference) => toRows(database, io, [findStored(database, reference)])[0]!,
    locate: ({ id, path }) => {
      const sql = `SELECT ${storedColumns} FROM session WHERE id = ? AND path = ?`
      return locatedOf(database.prepare(sql).get(id, path) as StoredSession)
    },
    overview: () => overview(database),
    troubles: () =>
      database.prepare('SELECT agent, path, problem FROM trouble ORDER BY agent, path').all() as Trouble[],
    search: (query) => search(database, io, query),
    recall: (key) =>
      (database.prepare('SELECT value FROM note WHERE key = ?').get(`fact:${key}`) as { value: string } | undefined)
        ?.value,
    remember: (key, value) =>
      void database.prepare('INSERT OR REPLACE INTO note(key, value) VALUES (?, ?)').run(`fact:${key}`, value),
    close: () => database.close(),
  }
}

/** How old the note of the last full check may get before it is written anew: most runs write nothing. */
const NOTE_MS = 30_000

function freshness(database: Database, result: RefreshResult, io: Io): Freshness {
  const { checked, known } = result
  const row = database.prepare("SELECT value FROM note WHERE key = 'full-check'").get() as { value: string } | undefined
  let fullCheckAt = row?.value ?? null
  if (checked === known) {
    const now = io.now()
    if (fullCheckAt === null || now.getTime() - Date.parse(fullCheckAt) > NOTE_MS) {
      database.prepare("INSERT OR REPLACE INTO note(key, value) VALUES ('full-check', ?)").run(now.toISOString())
    }
    fullCheckAt = now.toISOString()
  }
  return { checked, known, fullCheckAt, unindexed: countUnindexed(database) }
}
