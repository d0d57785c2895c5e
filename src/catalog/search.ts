import { type Role, roles } from '../agents/passage.ts'
import type { Io } from '../platform/io.ts'
import type { Database, Value } from '../platform/sqlite.ts'
import { deepSteps } from './deep-search.ts'
import { idAt, passagesAt, timeAt } from './passages.ts'
import { toRows, withinSql } from './query.ts'
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts'
import { NOT_A_COPY, type StoredSession, storedColumns } from './stored-session.ts'
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
  const groups = bestGroups(matches, query)
  const sessions = storedOf(database, groups)
  const rows = toRows(database, io, sessions)
  for (const [index, group] of groups.entries()) {
    yield { session: rows[index]!, ...bestMatch(sessions[index]!, io, group, query) }
  }
  const found = new Set(groups.map((group) => group.session))
  if (query.deep && groups.length < query.limit) yield* deepSteps(database, io, query, found)
  const total = (database.prepare(`SELECT count(*) AS n FROM session WHERE ${NOT_A_COPY}`).get() as { n: number }).n
  const unindexed = query.deep ? 0 : countUnindexed(database, { copies: false })
  return { searched: total - unindexed, unindexed }
}

interface Match {
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
  const originals = withoutCopies(
    database,
    pages((before, limit) => page.all(...values, before, limit) as Match[]),
  )
  return query.order === 'rank' ? [...originals] : untilSessions(originals, query.limit)
}

/** Up to CANDIDATES matches in pages that grow: most searches need few. */
function* pages(next: (before: number, limit: number) => Match[]): Generator<Match> {
  let before = Number.MAX_SAFE_INTEGER
  let rest = CANDIDATES
  for (let size = FIRST_PAGE; rest > 0; size *= 4) {
    const limit = Math.min(size, rest)
    const matches = next(before, limit)
    yield* matches
    if (matches.length < limit) return
    before = matches.at(-1)!.id
    rest -= limit
  }
}

/** Drops matches in archived copies; each session is looked up once. */
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

/** The matches of the first `limit` sessions; the rest is not queried. */
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

/** The weight of a match: prompts and titles say more about a session than the output of a tool. */
const weights: Readonly<Record<Role, number>> = { title: 12, user: 6, summary: 4, assistant: 3, thinking: 1, tool: 1 }

/** Each further match in a session counts for less, so that one long log does not outrank the session that is about it. */
function bestFirst(groups: readonly Group[]): Group[] {
  return groups
    .map((group) => ({ group, score: scoreOf(group) }))
    .sort((a, b) => b.score - a.score || b.group.matches[0]!.id - a.group.matches[0]!.id)
    .map(({ group }) => group)
}

function scoreOf({ matches }: Group): number {
  const counts = new Map<number, number>()
  for (const { role } of matches) counts.set(role, (counts.get(role) ?? 0) + 1)
  let score = 0
  for (const [role, count] of counts) score += weights[roles[role]!] * (1 + Math.log(count))
  return score
}

function storedOf(database: Database, groups: readonly Group[]): StoredSession[] {
  const find = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
  return groups.map((group) => find.get(group.session) as StoredSession)
}

function bestMatch(stored: StoredSession, io: Io, group: Group, query: SearchQuery): Omit<SearchHit, 'session'> {
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
