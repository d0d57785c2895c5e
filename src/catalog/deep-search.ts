import { type Role, roleOf } from '../agents/passage.ts'
import { isProblem } from '../events/item.ts'
import type { IonEvent } from '../events/schema.ts'
import { eventText } from '../events/text.ts'
import type { Io } from '../platform/io.ts'
import { isWithin } from '../platform/project.ts'
import type { Database } from '../platform/sqlite.ts'
import { copyOf, toRows } from './query.ts'
import { readSession } from './read-session.ts'
import type { SearchHit, SearchQuery } from './search-query.ts'
import { locatedOf, NOT_A_COPY, type StoredSession, storedColumns } from './stored-session.ts'
import { findTerms, makeSnippet } from './terms.ts'

/** Reads the sessions that the index did not find, newest first: finds text that is too long for the index. */
export function* deepSteps(
  database: Database,
  io: Io,
  query: SearchQuery,
  found: ReadonlySet<number>,
): Generator<SearchHit | undefined> {
  let hits = 0
  const sessions = database
    .prepare(
      `SELECT ${storedColumns} FROM session WHERE ${NOT_A_COPY} ORDER BY updated_at DESC, forked_from IS NOT NULL`,
    )
    .all()
  for (const session of sessions as StoredSession[]) {
    if (hits + found.size >= query.limit) return
    if (found.has(session.key) || !passesFilter(session, query)) continue
    const own = firstHit(session, io, query)
    // Ion's copy may have text that the agent has lost.
    const copy = own || session.store !== session.agent ? undefined : copyOf(database, session.id, session.agent)
    const hit = own ?? (copy && firstHit(copy, io, query))
    if (hit) hits++
    yield hit && {
      ...hit,
      only_in_archive: !own || session.store !== session.agent,
      session: toRows(database, io, [session])[0]!,
    }
  }
}

function passesFilter(session: StoredSession, query: SearchQuery): boolean {
  if (query.agents.length && !query.agents.includes(session.agent)) return false
  if (query.folder !== undefined && !isWithin(session.cwd, query.folder)) return false
  return !query.since || (session.updated_at ?? '') >= query.since.toISOString()
}

type FirstHit = Omit<SearchHit, 'session' | 'only_in_archive'>

function firstHit(session: StoredSession, io: Io, query: SearchQuery): FirstHit | undefined {
  let first: Omit<FirstHit, 'more'> | undefined
  let more = -1
  for (const item of readSession(locatedOf(session), io)) {
    if (isProblem(item)) continue
    const role = roleOf(item.event)
    if (!role || !matches(item.event, role, query)) continue
    first ??= { role, timestamp: item.event.timestamp, ...makeSnippet(eventText(item.event), query.terms) }
    more++
  }
  return first && { ...first, more }
}

function matches(event: IonEvent, role: Role, query: SearchQuery): boolean {
  if (query.roles.length && !query.roles.includes(role)) return false
  if (query.since && event.timestamp < query.since.toISOString()) return false
  const text = eventText(event)
  const has = (term: string): boolean => findTerms(text, [term]).length > 0
  return query.terms.every(has) && !query.excluded.some(has)
}
