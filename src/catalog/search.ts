import { type Role, roles } from '../agents/passage.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { findTerms, wordsOf } from './case-fold.ts'
import { deepSteps } from './deep-search.ts'
import { idAt, timeAt } from './passage-rowid.ts'
import { passagesAt } from './passage-text.ts'
import { below, toRows } from './query.ts'
import { bestFirst } from './rank.ts'
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts'
import { makeSnippet } from './snippet.ts'
import { NOT_A_COPY, type StoredSession, storedColumns } from './stored-session.ts'
import { countUnindexed } from './text-index.ts'

/** So many hits, the newest, are looked at for one answer: enough to rank, and a bound on the time it takes. */
const CANDIDATES = 5000

/** One hit after the other, `undefined` for a step that found none, and at the end how much was searched. */
export function* searchSteps(
  database: Database,
  io: Io,
  query: SearchQuery,
): Generator<SearchHit | undefined, Omit<SearchResult, 'hits'>> {
  const matches = matchesOf(database, query)
  const groups = bestGroups(matches, query)
  const sessions = storedOf(database, groups)
  const rows = toRows(database, io, sessions)
  for (const [index, group] of groups.entries()) {
    yield { session: rows[index]!, ...placeOf(sessions[index]!, io, group, query) }
  }
  const found = new Set(groups.map((group) => group.session))
  if (query.deep && groups.length < query.limit) yield* deepSteps(database, io, query, found)
  const total = (database.prepare(`SELECT count(*) AS n FROM session WHERE ${NOT_A_COPY}`).get() as { n: number }).n
  const unindexed = query.deep ? 0 : countUnindexed(database)
  return { searched: total - unindexed, unindexed }
}

export interface Match {
  readonly id: number
  readonly session: number
  readonly place: number
  readonly role: number
}

/** The newest passages that match, newest first. */
function matchesOf(database: Database, query: SearchQuery): Match[] {
  const expression = matchExpression(query)
  if (expression === undefined) return []
  const parts: string[] = []
  const values: (string | number)[] = [expression]
  if (query.since) {
    parts.push('words.rowid >= ?')
    values.push(idAt(query.since.getTime()))
  }
  if (query.roles.length) parts.push(`passage.role IN (${query.roles.map((role) => roles.indexOf(role)).join(', ')})`)
  if (query.agents.length) {
    parts.push(`session.agent IN (${query.agents.map(() => '?').join(', ')})`)
    values.push(...query.agents)
  }
  if (query.folder !== undefined) {
    parts.push('(session.cwd = ? OR substr(session.cwd, 1, ?) = ?)')
    values.push(query.folder, ...below(query.folder))
  }
  // The session is joined only where it is asked about: most searches need the index alone.
  const join = query.agents.length || query.folder !== undefined ? 'JOIN session ON session.key = passage.session' : ''
  const rows = database
    .prepare(
      `SELECT passage.id, passage.session, passage.place, passage.role
       FROM words JOIN passage ON passage.id = words.rowid ${join}
       WHERE words MATCH ? ${parts.map((part) => `AND ${part}`).join(' ')}
       ORDER BY words.rowid DESC LIMIT ${CANDIDATES}`,
    )
    .iterate(...values) as Iterable<Match>
  const originals = withoutCopies(database, rows)
  return query.order === 'rank' ? [...originals] : untilSessions(originals, query.limit)
}

/** Each session is asked about once, and only those with a match. */
function* withoutCopies(database: Database, rows: Iterable<Match>): Generator<Match> {
  const find = database.prepare(`SELECT 1 FROM session WHERE key = ? AND ${NOT_A_COPY}`)
  const known = new Map<number, boolean>()
  for (const match of rows) {
    let isOriginal = known.get(match.session)
    if (isOriginal === undefined) {
      isOriginal = find.get(match.session) !== undefined
      known.set(match.session, isOriginal)
    }
    if (isOriginal) yield match
  }
}

/** Matches up to the one that would begin another session than the first `limit`: the rest is not asked for. */
function untilSessions(rows: Iterable<Match>, limit: number): Match[] {
  const matches: Match[] = []
  const sessions = new Set<number>()
  for (const match of rows) {
    sessions.add(match.session)
    if (sessions.size > limit) break
    matches.push(match)
  }
  return matches
}

/** FTS5's own language, with every term quoted: nothing a user types is taken as an operator. */
function matchExpression(query: SearchQuery): string | undefined {
  const quoted = (terms: readonly string[]): string[] =>
    terms.filter((term) => wordsOf(term).length > 0).map((term) => `"${wordsOf(term).join(' ')}"`)
  const wanted = quoted(query.terms)
  if (wanted.length === 0) return undefined
  return [wanted.join(' AND '), ...quoted(query.excluded)].join(' NOT ')
}

export interface Group {
  readonly session: number
  /** Newest first. */
  readonly matches: readonly Match[]
}

function bestGroups(matches: readonly Match[], query: SearchQuery): Group[] {
  const bySession = new Map<number, Match[]>()
  for (const match of matches) {
    const group = bySession.get(match.session)
    if (group) group.push(match)
    else bySession.set(match.session, [match])
  }
  const groups = [...bySession].map(([session, found]) => ({ session, matches: found }))
  return (query.order === 'rank' ? bestFirst(groups) : groups).slice(0, query.limit)
}

function storedOf(database: Database, groups: readonly Group[]): StoredSession[] {
  const find = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
  return groups.map((group) => find.get(group.session) as StoredSession)
}

function placeOf(stored: StoredSession, io: Io, group: Group, query: SearchQuery): Omit<SearchHit, 'session'> {
  const best = group.matches[0]!
  const role = roles[best.role] as Role
  const texts = passagesAt(stored, best.place, io).filter((passage) => passage.role === role)
  const text = texts.find((passage) => findTerms(passage.text, query.terms).length > 0)?.text ?? texts[0]?.text ?? ''
  return {
    role,
    timestamp: timeAt(best.id),
    ...makeSnippet(text, query.terms),
    more: group.matches.length - 1,
  }
}
