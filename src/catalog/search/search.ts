import { agents } from '../../agents/_registry.ts'
import type { Passage, Role } from '../../agents/passage.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { AllMarks, Marks } from '../../organise/marks.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Io } from '../../platform/io.ts'
import type { Database, Statement } from '../../platform/sqlite.ts'
import { toRows } from '../query.ts'
import type { Located } from '../read-session.ts'
import { locatedOf, type StoredSession, storedColumns } from '../stored-session.ts'
import type { SearchHit, SearchQuery, SearchSummary, Unsearched } from './query.ts'
import { SessionSearch } from './session-matches.ts'
import { archivedLogs, countListed, type ListedSession, listedSessions, passesStates } from './sessions.ts'
import { makeSnippet } from './snippet.ts'

/**
 * Looks through the sessions themselves, newest first: the index only says which there are. Yields hits as soon as their
 * order is known, or `undefined` for a step without one.
 */
export function* searchSteps(
  database: Database,
  io: Io,
  query: SearchQuery,
  marks: AllMarks,
  onSearched?: (done: number, total: number) => void,
): Generator<SearchHit | undefined, SearchSummary> {
  const search = new SessionSearch(query, io)
  const store = new SearchedStore(database)
  const waiting = new WaitingHits()
  const unsearched = new UnsearchedPlaces(database, query)
  const total = onSearched ? countListed(database, query, marks) : 0
  const isRanked = query.order === 'rank'
  const searched = { sessions: 0, sub_agents: 0, hidden: 0 }
  const summary = (isCut: boolean): SearchSummary => {
    const { sessions, sub_agents, hidden } = searched
    return { searched: sessions + sub_agents + hidden, sub_agents, hidden, unsearched: unsearched.list(), isCut }
  }
  let hits = 0
  const sessions = listedSessions(database, query, marks)
  for (
    let listed = next(sessions), following = next(sessions);
    listed;
    listed = following, following = next(sessions)
  ) {
    const found = yield* matchesOf(search, listed, marks.get(listed), store, unsearched)
    searched[listed.kind]++
    onSearched?.(summary(false).searched, total)
    yield undefined
    const session = found && store.get(listed.key)
    if (session) {
      const row = toRows(database, io, [session], marks)[0]!
      if (passesStates(row, query)) waiting.add({ found, session: row, isFork: session.forked_from !== null })
    }
    if (isRanked) continue
    // What was found in this session may be older than what is in the next.
    for (const ready of waiting.until(following?.updated_at)) {
      yield hitOf(ready, search)
      if (++hits >= query.limit) return summary(following !== undefined || waiting.size > 0)
    }
  }
  for (const ready of waiting.all(isRanked)) {
    if (hits++ >= query.limit) return summary(true)
    yield hitOf(ready, search)
  }
  return summary(false)
}

function next<T>(items: Iterator<T, void>): T | undefined {
  return items.next().value ?? undefined
}

/** What the index has about sessions, queried only for those that need it. */
class SearchedStore {
  readonly #one: Statement
  readonly #logs: ReadonlyMap<number, number>

  constructor(database: Database) {
    this.#one = database.prepare(`SELECT ${storedColumns} FROM session WHERE key = ?`)
    this.#logs = archivedLogs(database)
  }

  get(key: number): StoredSession | undefined {
    return this.#one.get(key) as StoredSession | undefined
  }

  /** Ion's archived log of a session. */
  logOf(key: number): StoredSession | undefined {
    const log = this.#logs.get(key)
    return log === undefined ? undefined : this.get(log)
  }
}

/** What could not be searched; of each file the first problem. */
class UnsearchedPlaces {
  readonly #places = new Map<string, Unsearched>()

  /** Sessions that could not even be listed may have matched, too. */
  constructor(database: Database, { agents }: SearchQuery) {
    const errors = database.prepare('SELECT agent, path, problem FROM source_error ORDER BY agent, path').all()
    for (const { agent, ...error } of errors as Unsearched[])
      if (agents.length === 0 || agents.includes(agent)) this.add(agent, error)
  }

  add(agent: string, { path, problem }: Pick<Problem, 'path' | 'problem'>): void {
    if (!this.#places.has(path)) this.#places.set(path, { agent, path, problem })
  }

  list(): Unsearched[] {
    return [...this.#places.values()]
  }
}

interface Match extends Passage {
  /** The agent no longer has it. */
  readonly isLost: boolean
}

interface Found {
  /** The newest; a text about the session if nothing else matches. */
  readonly shown: Match
  readonly count: number
  /** How many there are of each role. */
  readonly counts: ReadonlyMap<Role, number>
}

interface FoundSession {
  readonly found: Found
  readonly session: SearchHit['session']
  readonly isFork: boolean
}

function* matchesOf(
  search: SessionSearch,
  session: ListedSession,
  marks: Marks,
  store: SearchedStore,
  unsearched: UnsearchedPlaces,
): Generator<undefined, Found | undefined> {
  const counts = new Map<Role, number>()
  const log = store.logOf(session.key)
  const own = new Set<number>()
  let shown: Match | undefined
  const add = (passage: Passage, isLost: boolean): void => {
    counts.set(passage.role, (counts.get(passage.role) ?? 0) + 1)
    if (!shown || passage.time >= shown.time) shown = { ...passage, isLost }
  }
  const walk = function* (texts: Iterable<Passage | Problem | undefined>, isCopy: boolean): Generator<undefined> {
    for (const passage of texts) {
      if (passage && isProblem(passage)) unsearched.add(session.agent, passage)
      else if (passage) {
        const text = log && hash53(`${passage.role}\0${passage.text}`)
        if (text !== undefined && !isCopy) own.add(text)
        // Ion's copy may have a text that the agent has lost.
        if (text === undefined || !isCopy || !own.has(text)) add(passage, isCopy)
      }
      yield
    }
  }
  const locate = (): Located | undefined => {
    const stored = store.get(session.key)
    return stored && locatedOf(stored, agents)
  }
  yield* walk(search.matches(session, locate), false)
  if (log) {
    const located = locatedOf(log, agents)
    yield* walk(
      search.matches({ ...located.head, store: log.store }, () => located),
      true,
    )
  }
  for (const about of textsAbout(session, marks)) {
    if (!search.isAboutWanted(about)) continue
    counts.set(about.role, 1)
    shown ??= { ...about, time: session.updated_at ?? '', event: '', isLost: false }
  }
  return shown && { shown, counts, count: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/** Texts that are not in the session's events: a given name does not hide the agent's title. */
function textsAbout({ title }: ListedSession, { name, tags, note }: Marks): Pick<Passage, 'role' | 'text'>[] {
  const texts: [Role, string | null][] = [
    ['title', name],
    ['title', title ?? ''],
    ['tag', tags.length > 0 ? tags.map((tag) => `#${tag}`).join(' ') : null],
    ['note', note],
  ]
  return texts.flatMap(([role, text]) => (text === null ? [] : [{ role, text }]))
}

/** Hits whose place in the order is not known yet, newest first. */
class WaitingHits {
  readonly #waiting: FoundSession[] = []

  get size(): number {
    return this.#waiting.length
  }

  add(found: FoundSession): void {
    this.#waiting.push(found)
  }

  /** Those that nothing in a session of that time can come before. */
  *until(time: string | null | undefined): Generator<FoundSession> {
    this.#waiting.sort(byTime)
    while (this.#waiting.length > 0 && (time === undefined || this.#waiting[0]!.found.shown.time >= (time ?? ''))) {
      yield this.#waiting.shift()!
    }
  }

  *all(isRanked: boolean): Generator<FoundSession> {
    yield* this.#waiting.sort(isRanked ? (a, b) => scoreOf(b) - scoreOf(a) || byTime(a, b) : byTime)
  }
}

/** A fork has the times and texts of its original, which comes before it. */
function byTime(a: FoundSession, b: FoundSession): number {
  const [first, second] = [a.found.shown.time, b.found.shown.time]
  return first === second ? Number(a.isFork) - Number(b.isFork) : first < second ? 1 : -1
}

/** The weight of a match: prompts and titles say more about a session than the output of a tool. */
const weights: Readonly<Record<Role, number>> = {
  title: 12,
  tag: 12,
  note: 8,
  user: 6,
  summary: 4,
  assistant: 3,
  thinking: 1,
  tool: 1,
}

/** Each further match in a session counts for less, so that one long log does not outrank the session that is about it. */
function scoreOf({ found }: FoundSession): number {
  let score = 0
  for (const [role, count] of found.counts) score += weights[role] * (1 + Math.log(count))
  return score
}

function hitOf({ session, found: { shown, count } }: FoundSession, search: SessionSearch): SearchHit {
  return {
    session,
    role: shown.role,
    event: shown.event || null,
    timestamp: shown.time || session.updated_at || '',
    ...makeSnippet(shown.text, search.matcher),
    only_in_archive: session.only_in_archive || shown.isLost,
    more: count - 1,
  }
}
