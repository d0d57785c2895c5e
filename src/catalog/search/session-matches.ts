import { agents } from '../../agents/_registry.ts'
import { type Passage, passageOf, rolesAbout } from '../../agents/passage.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import { inputText } from '../../events/text.ts'
import { type LineFilter, matchingLines } from '../../native/byte-search/matching-lines.ts'
import type { Line } from '../../native/line-cursor.ts'
import { type ReadContext, readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { type Located, readSession } from '../read-session.ts'
import { mayMatch } from './may-match.ts'
import type { SearchQuery } from './query.ts'
import { lineFilter, TextMatcher } from './text-query.ts'

/** The store of a session, and its place in it. */
interface SessionPlace {
  readonly store: string
  readonly path: string
  readonly format: string
}

/** Finds the texts of sessions that match a query. */
export class SessionSearch {
  readonly matcher: TextMatcher
  readonly #query: SearchQuery
  readonly #filter: LineFilter
  /** One for all sessions: what is looked up once per read is looked up once per search. */
  readonly #reading: ReadContext

  constructor(query: SearchQuery, io: Io) {
    this.#query = query
    this.#reading = readContext(io)
    this.matcher = new TextMatcher(query)
    this.#filter = lineFilter(query)
  }

  /** Only about sessions as a whole: their text does not matter. */
  get isAboutSessions(): boolean {
    const { wanted, excluded, roles } = this.#query
    return wanted.length + excluded.length + roles.length === 0 && !this.#needsEvents
  }

  /**
   * In the order of the session; undefined for a step without one. Problems are what could not be searched. `locate` is
   * called where the file alone is not enough.
   */
  *matches(place: SessionPlace, locate: () => Located | undefined): Generator<Passage | Problem | undefined> {
    if (this.isAboutSessions || this.#isOnlyAbout) return
    const texts = this.#needsEvents ? this.#readEvents(locate()) : this.#texts(place, locate)
    for (const text of texts) {
      if (text && !isProblem(text) && !this.#isWanted(text)) yield undefined
      else yield text
    }
  }

  /** Nothing that is asked for is in the events. */
  get #isOnlyAbout(): boolean {
    const { roles } = this.#query
    return roles.length > 0 && roles.every((role) => rolesAbout.includes(role))
  }

  /** Whether a text about the session matches: a title, tags or a note. */
  isAboutWanted({ role, text }: Pick<Passage, 'role' | 'text'>): boolean {
    const { roles, since, before } = this.#query
    if (this.isAboutSessions) return role === 'title'
    if (this.#needsEvents || since || before || (roles.length > 0 && !roles.includes(role))) return false
    return this.matcher.matches(text)
  }

  *#texts(
    { store, path, format }: SessionPlace,
    locate: () => Located | undefined,
  ): Generator<Passage | Problem | undefined> {
    const { scanner } = agents.find(({ id }) => id === store) ?? {}
    if (scanner && (scanner.applies?.({ path, format }) ?? true)) {
      for (const line of matchingLines(path, this.#reading, this.#filter)) {
        if (isProblem(line)) yield line
        else if (line.tooLong) yield tooLong(line)
        else yield* scanner.passages(line)
      }
      return
    }
    const located = locate()
    if (located && mayMatch(located, this.#filter.needles, this.#reading)) yield* this.#readEvents(located)
  }

  /** Whether a line does not say enough. */
  get #needsEvents(): boolean {
    return this.#query.tools.length > 0 || this.#query.files.length > 0
  }

  *#readEvents(located: Located | undefined): Generator<Passage | Problem | undefined> {
    if (!located) return
    const calls = new Map<string, IonEvent & { type: 'tool_use' }>()
    for (const item of readSession(located, this.#reading.io, this.#reading)) {
      if (isProblem(item)) {
        // Such text is searched, with � for what cannot be decoded.
        if (item.code !== 'invalid_utf8') yield item
        continue
      }
      const { event } = item
      if (event.type === 'tool_use' && this.#needsEvents) calls.set(event.id, event)
      yield this.#isOfWantedCall(event, calls) ? passageOf(event) : undefined
    }
  }

  #isOfWantedCall(event: IonEvent, calls: ReadonlyMap<string, IonEvent & { type: 'tool_use' }>): boolean {
    if (!this.#needsEvents) return true
    const call =
      event.type === 'tool_use' ? event : event.type === 'tool_result' ? calls.get(event.tool_use_id) : undefined
    if (!call) return false
    const { tools, files } = this.#query
    const input = files.length > 0 ? inputText(call.input).toLowerCase() : ''
    return (
      (tools.length === 0 || tools.some((name) => name.toLowerCase() === call.name.toLowerCase())) &&
      (files.length === 0 || files.some((path) => input.includes(path.toLowerCase())))
    )
  }

  #isWanted({ role, text, time }: Passage): boolean {
    const { roles, since, before } = this.#query
    if (roles.length > 0 && !roles.includes(role)) return false
    if (since && time !== '' && time < since.toISOString()) return false
    if (before && time !== '' && time >= before.toISOString()) return false
    return this.matcher.matches(text)
  }
}

function tooLong({ path, length }: Line): Problem {
  return { code: 'too_large', problem: `a line of ${Math.round(length / 1e6)} MB is too long to search`, path }
}
