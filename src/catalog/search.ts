import { passageOf, type Role, roles } from '../agents/passage.ts'
import { isProblem } from '../events/item.ts'
import { HashSet } from '../native/hash-set.ts'
import type { Io } from '../platform/io.ts'
import type { Database, Value } from '../platform/sqlite.ts'
import { deepSteps } from './deep-search.ts'
import type { PlacedPassage } from './line-scan.ts'
import { idAt, passagesAt, timeAt } from './passages.ts'
import { toRows, withinSql } from './query.ts'
import { readSession } from './read-session.ts'
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts'
import type { SessionRow } from './session-row.ts'
import { locatedOf, NOT_A_COPY, type StoredSession, storedColumns } from './stored-session.ts'
import { findTerms, makeSnippet, wordsOf } from './terms.ts'
import { countUnindexed } from './text-index.ts'

/** Maximum number of matches, the newest, that one search considers: enough to rank, and bounded in time. */
const CANDIDATES = 5000
const FIRST_PAGE = 200

/** Yields hits, or `undefined` for a step without one; returns how much was searched. */
export function* searchSteps(
  database: Database,
  io: Io,
  query: SearchQuery,
): Generator<SearchHit | undefined, Omit<SearchResult, 'hits'>> {
  const matches = matchesOf(database, query)
  const groups = bestGroups(database, matches, query).flatMap((group) => checkedGroup(database, io, group) ?? [])
  const rows = toRows(
    database,
    io,
    groups.map(({ session }) => storedAt(database, session)),
  )
  for (const [index, group] of groups.entries()) {
    const session = rows[index]!
    yield { session, ...bestMatch(session, database, io, group, query) }
  }
  const found = new Set(groups.map((group) => group.session))
  if (query.deep && groups.length < query.limit) yield* deepSteps(database, io, query, found)
  const total = (database.prepare(`SELECT count(*) AS n FROM session WHERE ${NOT_A_COPY}`).get() as { n: number }).n
  const unindexed = query.deep ? 0 : countUnindexed(database, { copies: false })
  return { searched: total - unindexed, unindexed }
}

/** A text in the index that matches. */
interface FoundPassage {
  readonly id: number
  readonly session: number
  readonly place: number
  readonly role: number
}

interface Match extends FoundPassage {
  /** The session under which it is shown. */
  readonly session: number
  /** The session whose text it is: another one for a text of Ion's copy that its agent seems to have lost. */
  readonly from: number
}

/** The newest passages that match, newest first. */
function matchesOf(database: Database, query: SearchQuery): Match[] {
  const expression = matchExpression(query)
  if (expression === undefined) return []
  const parts: string[] = []
  const values: Value[] = [expression]
  if (query.since) {
    parts.push('passage_fts.rowid >= ?')
    values.push(idAt(query.since.getTime()))
  }
  if (query.roles.length) parts.push(`passage.role IN (${query.roles.map((role) => roles.indexOf(role)).join(', ')})`)
  if (query.agents.length) {
    parts.push(`session.agent IN (${query.agents.map(() => '?').join(', ')})`)
    values.push(...query.agents)
  }
  if (query.folder !== undefined) {
    const [sql, ...folder] = withinSql('session.cwd', query.folder)
    parts.push(sql)
    values.push(...folder)
  }
  // Most searches need no column of the session, so it is joined only if necessary.
  const join = query.agents.length || query.folder !== undefined ? 'JOIN session ON session.key = passage.session' : ''
  const page = database.prepare(
    `SELECT passage.id, passage.session, passage.place, passage.role
     FROM passage_fts JOIN passage ON passage.id = passage_fts.rowid ${join}
     WHERE passage_fts MATCH ? ${parts.map((part) => `AND ${part}`).join(' ')} AND passage_fts.rowid < ?
     ORDER BY passage_fts.rowid DESC LIMIT ?`,
  )
  const found = withoutCopies(
    database,
    pages((before, limit) => page.all(...values, before, limit) as FoundPassage[]),
  )
  return untilSessions(found, query.order === 'rank' ? Number.POSITIVE_INFINITY : query.limit)
}

/** Enough for CANDIDATES matches if all are archived too, in pages that grow: most searches need few. */
function* pages(next: (before: number, limit: number) => FoundPassage[]): Generator<FoundPassage> {
  let before = Number.MAX_SAFE_INTEGER
  let rest = 2 * CANDIDATES
  for (let size = FIRST_PAGE; rest > 0; size *= 4) {
    const limit = Math.min(size, rest)
    const matches = next(before, limit)
    yield* matches
    if (matches.length < limit) return
    before = matches.at(-1)!.id
    rest -= limit
  }
}

/**
 * Drops matches in archived copies where the session of the agent has one in the same second and role: the same text, as
 * a rule. What is left of a copy may be text that the agent has lost; `checkedGroup` makes sure of that.
 */
function* withoutCopies(database: Database, rows: Iterable<FoundPassage>): Generator<Match> {
  const ownerOf = ownerFinder(database)
  let second: Match[] = []
  const flush = function* (): Generator<Match> {
    const own = new Set(second.filter(isOwn).map(({ session, role }) => `${session} ${role}`))
    for (const match of second) if (isOwn(match) || !own.has(`${match.session} ${match.role}`)) yield match
    second = []
  }
  for (const passage of rows) {
    const session = ownerOf(passage.session)
    // A copy has the title that the session had when it was first archived.
    if (session === undefined || (session !== passage.session && roles[passage.role] === 'title')) continue
    if (second.length > 0 && timeAt(second[0]!.id) !== timeAt(passage.id)) yield* flush()
    second.push({ ...passage, session, from: passage.session })
  }
  yield* flush()
}

function isOwn({ session, from }: Match): boolean {
  return session === from
}

/** The session under which one is shown: itself, or the one it is a copy of; undefined for an older copy. Asks once each. */
function ownerFinder(database: Database): (session: number) => number | undefined {
  const original = database.prepare(`SELECT 1 FROM session WHERE key = ? AND ${NOT_A_COPY}`)
  const agents = database.prepare(
    `SELECT other.key FROM session JOIN session AS other ON other.id = session.id AND other.agent = session.agent
     WHERE session.key = ? AND other.store = other.agent ORDER BY other.updated_at DESC LIMIT 1`,
  )
  const known = new Map<number, number | undefined>()
  return (session) => {
    if (!known.has(session)) {
      const own = original.get(session) !== undefined
      known.set(session, own ? session : (agents.get(session) as { key: number } | undefined)?.key)
    }
    return known.get(session)
  }
}

/** The matches of the first `limit` sessions, up to CANDIDATES; the rest is not queried. */
function untilSessions(rows: Iterable<Match>, limit: number): Match[] {
  const matches: Match[] = []
  const sessions = new Set<number>()
  for (const match of rows) {
    sessions.add(match.session)
    if (sessions.size > limit || matches.length >= CANDIDATES) break
    matches.push(match)
  }
  return matches
}

/** Without matches in Ion's copy whose text the agent has after all; undefined if nothing is left. */
function checkedGroup(database: Database, io: Io, { session, matches }: Group): Group | undefined {
  if (matches.every(isOwn)) return { session, matches }
  const present = new HashSet()
  for (const { passage } of passagesOf(storedAt(database, session), io)) present.add(passageKey(passage))
  const lost = new Set<string>()
  for (const from of new Set(matches.filter((match) => !isOwn(match)).map((match) => match.from))) {
    for (const { passage, place } of passagesOf(storedAt(database, from), io)) {
      if (!present.has(passageKey(passage))) lost.add(`${from} ${place}`)
    }
  }
  const left = matches.filter((match) => isOwn(match) || lost.has(`${match.from} ${match.place}`))
  return left.length > 0 ? { session, matches: left } : undefined
}

/** With the places that the index has for texts of Ion's archive. */
function* passagesOf(session: StoredSession, io: Io): Generator<PlacedPassage> {
  for (const item of readSession(locatedOf(session), io)) {
    const passage = isProblem(item) ? undefined : passageOf(item.event)
    if (passage && !isProblem(item)) yield { passage, place: item.event.seq }
  }
}

function passageKey({ role, text }: PlacedPassage['passage']): string {
  return `${role}\0${text}`
}

/** An FTS5 query with every term quoted: no user input is treated as an operator. */
function matchExpression(query: SearchQuery): string | undefined {
  const quoted = (terms: readonly string[]): string[] =>
    terms.filter((term) => wordsOf(term).length > 0).map((term) => `"${wordsOf(term).join(' ')}"`)
  const wanted = quoted(query.terms)
  if (wanted.length === 0) return undefined
  return [wanted.join(' AND '), ...quoted(query.excluded)].join(' NOT ')
}

interface Group {
  readonly session: number
  /** Newest first. */
  readonly matches: readonly Match[]
}

function bestGroups(database: Database, matches: readonly Match[], query: SearchQuery): Group[] {
  const bySession = new Map<number, Match[]>()
  for (const match of matches) {
    const group = bySession.get(match.session)
    if (group) group.push(match)
    else bySession.set(match.session, [match])
  }
  const groups = [...bySession].map(([session, found]) => ({ session, matches: found }))
  return bestFirst(groups, query.order === 'rank' ? scoreOf : () => 0, forkFinder(database)).slice(0, query.limit)
}

/** The weight of a match: prompts and titles say more about a session than the output of a tool. */
const weights: Readonly<Record<Role, number>> = { title: 12, user: 6, summary: 4, assistant: 3, thinking: 1, tool: 1 }

/** By score, then the newest first. A fork has the times and texts of its original, which comes before it. */
function bestFirst(
  groups: readonly Group[],
  score: (group: Group) => number,
  isFork: (session: number) => boolean,
): Group[] {
  return groups
    .map((group) => ({ group, score: score(group), newest: group.matches[0]!.id, time: timeAt(group.matches[0]!.id) }))
    .sort((a, b) => {
      if (a.score !== b.score) return b.score - a.score
      const forks = a.time === b.time ? Number(isFork(a.group.session)) - Number(isFork(b.group.session)) : 0
      return forks || b.newest - a.newest
    })
    .map(({ group }) => group)
}

/** Asks once for each session. */
function forkFinder(database: Database): (session: number) => boolean {
  const fork = database.prepare('SELECT 1 FROM session WHERE key = ? AND forked_from IS NOT NULL')
  const known = new Map<number, boolean>()
  return (session) => {
    const isFork = known.get(session) ?? fork.get(session) !== undefined
    known.set(session, isFork)
    return isFork
  }
}

/** Each further match in a session counts for less, so that one long log does not outrank the session that is about it. */
function scoreOf({ matches }: Group): number {
  const counts = new Map<number, number>()
  for (const { role } of matches) counts.set(role, (counts.get(role) ?? 0) + 1)
  let score = 0
  for (const [role, count] of counts) score += weights[roles[role]!] * (1 + Math.log(count))
  return score
}

function storedAt(database: Database, key: number): StoredSession {
  return database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`).get(key) as StoredSession
}

function bestMatch(
  session: SessionRow,
  database: Database,
  io: Io,
  group: Group,
  query: SearchQuery,
): Omit<SearchHit, 'session'> {
  const best = group.matches[0]!
  const role = roles[best.role] as Role
  const texts = passagesAt(storedAt(database, best.from), best.place, io).filter((passage) => passage.role === role)
  const text = texts.find((passage) => findTerms(passage.text, query.terms).length > 0)?.text ?? texts[0]?.text ?? ''
  return {
    role,
    timestamp: timeAt(best.id),
    ...makeSnippet(text, query.terms),
    only_in_archive: session.only_in_archive || !isOwn(best),
    more: group.matches.length - 1,
  }
}
