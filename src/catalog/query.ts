import { agents } from '../agents/_registry.ts'
import type { AllMarks } from '../organise/marks.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { conditions, type LiveOf, listRows, selectSessions } from './select.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'
import { type StoredSession, storedColumns } from './stored-session.ts'

/** Lists sessions, newest first; see selectSessions. */
export function listSessions(database: Database, io: Io, filter: SessionFilter, marks: AllMarks): SessionRow[] {
  return toRows(database, io, selectSessions(database, filter, marks), marks)
}

const PAGE = 200

/** The same one by one. Sessions that are deleted meanwhile are skipped. */
export function* eachSession(
  database: Database,
  io: Io,
  filter: SessionFilter,
  marks: AllMarks,
): Generator<SessionRow> {
  const { where, values } = conditions(filter, marks)
  const keys = database
    .prepare(`SELECT key FROM session ${where} ORDER BY updated_at DESC, id LIMIT ?`)
    .all(...values, filter.limit ?? -1) as { key: number }[]
  const one = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
  for (let at = 0; at < keys.length; at += PAGE) {
    const stored = keys.slice(at, at + PAGE).flatMap(({ key }) => (one.get(key) as StoredSession | undefined) ?? [])
    yield* toRows(database, io, stored, marks)
  }
}

export function toRows(database: Database, io: Io, stored: readonly StoredSession[], marks: AllMarks): SessionRow[] {
  const liveOf: LiveOf = (id, nativeIds) => agents.find((agent) => agent.id === id)?.live?.(io, nativeIds)
  return listRows(database, stored, marks, liveOf)
}
