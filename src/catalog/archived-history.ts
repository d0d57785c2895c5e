import type { Agent } from '../agents/agent.ts'
import { isProblem, type SessionItem } from '../events/item.ts'
import type { IonEvent } from '../events/schema.ts'
import { comparableText } from '../events/text.ts'
import { HashSet } from '../native/hash-set.ts'
import { readContext } from '../native/read-context.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Catalog } from './catalog.ts'
import { type Located, readSession } from './read-session.ts'
import type { SessionRow } from './session-row.ts'

/**
 * Everything of a session: what Ion's archive has, also of what the agent has dropped or rewritten since, then what the
 * agent has written since the last capture. `archived` is the session itself where only the archive has it.
 */
function* readWithArchive(live: Located, archived: Located, io: Io): Generator<SessionItem> {
  const known = new KnownEvents()
  let last = -1
  for (const item of archivedItems(archived, io)) {
    if (!isProblem(item)) {
      known.add(item.event, item.of)
      last = Math.max(last, item.event.seq)
    }
    yield item
  }
  if (isSame(live, archived)) return
  for (const item of readSession(live, io)) {
    if (isProblem(item)) yield item
    else if (item.event.type !== 'session_start' && !known.hasVersion(item.event, item.event.id)) {
      // A later version of an event that the archive has is not that event.
      const id = known.hasId(item.event.id) ? `${item.event.id}~live` : item.event.id
      yield { ...item, event: { ...item.event, id, seq: ++last } }
    }
  }
}

/** Text held in memory to compare versions of events; beyond it, a changed event counts as lost. */
const MAX_COMPARED = 16e6

/** How many events of the archive the agent's store no longer has, as they were archived. Reads both. */
function countOnlyInArchive(live: Located, archived: Located, io: Io, liveIo: Io = io): number {
  if (isSame(live, archived)) return count(archivedItems(archived, io)) - count(readSession(archived, io))
  const known = new KnownEvents()
  for (const item of readSession(live, liveIo)) if (!isProblem(item)) known.add(item.event, item.event.id)
  const changed = new Map<string, string[]>()
  let lost = 0
  let held = 0
  for (const item of archivedItems(archived, io)) {
    if (isProblem(item) || item.event.type === 'session_start' || known.hasVersion(item.event, item.of)) continue
    const text = comparableText(item.event)
    if (!known.hasId(item.of) || (held += text.length) > MAX_COMPARED) lost++
    else changed.set(item.of, [...(changed.get(item.of) ?? []), text])
  }
  if (changed.size === 0) return lost
  // An event that has only grown since it was archived has lost nothing.
  for (const item of readSession(live, liveIo)) {
    const texts = isProblem(item) ? undefined : changed.get(item.event.id)
    if (texts && !isProblem(item)) lost += texts.filter((text) => !comparableText(item.event).includes(text)).length
  }
  return lost
}

/** Larger sessions are not read twice for the sake of a number. */
const MAX_COUNTED = 10e6

/** A number of events; `some` where a session is too large to count them. */
export type EventCount = number | 'some'

/** The same for a session that was just restored to its agent's store in the home of `target`. Zero if it is not there. */
export function countMissing(archived: Located, agent: Agent, target: Io, io: Io): EventCount {
  const reading = readContext(target)
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) continue
    for (const head of agent.heads(source, reading)) {
      if (isProblem(head) || head.id !== archived.head.id) continue
      if (!isLarge(head, archived.head)) return countOnlyInArchive({ head, reader: agent }, archived, io, target)
      return (head.updated_at ?? '') < (archived.head.updated_at ?? '') ? 'some' : 0
    }
  }
  return 0
}

function isLarge(...sizes: readonly { readonly bytes: number }[]): boolean {
  return sizes.some(({ bytes }) => bytes > MAX_COUNTED)
}

function isSame(a: Located, b: Located): boolean {
  return a.reader === b.reader && a.head.path === b.head.path
}

function count(items: Iterable<SessionItem>): number {
  let events = 0
  for (const item of items) if (!isProblem(item)) events++
  return events
}

type ArchivedItem = SessionItem & { readonly of: string }

/**
 * The events of an archived log in all their versions; `of` is the id of the event that each is a version of. Where an
 * agent removed the beginning of a file, the rest moved to the ids of other events: such copies are left out.
 */
function* archivedItems(archived: Located, io: Io): Generator<ArchivedItem> {
  const contents = new HashSet()
  for (const item of readSession(archived, io, { ...readContext(io), everyVersion: true })) {
    if (isProblem(item)) {
      yield { ...item, of: '' }
      continue
    }
    const { revises, ...event } = item.event as IonEvent & { readonly revises?: string }
    const isNew = contents.add(contentOf(event as IonEvent))
    if (revises === undefined || isNew) yield { ...item, event: event as IonEvent, of: revises ?? event.id }
  }
}

/** Ids and versions of events, in a few bytes each. */
class KnownEvents {
  readonly #ids = new HashSet()
  readonly #versions = new HashSet()
  readonly #contents = new HashSet()

  add(event: IonEvent, of: string): void {
    this.#ids.add(of)
    this.#versions.add(`${of}\0${comparableText(event)}`)
    this.#contents.add(contentOf(event))
  }

  hasId(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Also under another id: ids that are made from a position change when a file is cut. */
  hasVersion(event: IonEvent, of: string): boolean {
    return this.#versions.has(`${of}\0${comparableText(event)}`) || this.#contents.has(contentOf(event))
  }
}

function contentOf(event: IonEvent): string {
  return [event.type, event.timestamp_guessed ? '' : event.timestamp, comparableText(event)].join('\0')
}

type Locator = Pick<Catalog, 'locate' | 'locateArchived'>

/** Reads a session as its agent has it, or with all that Ion's archive has of it. Each call reads it again. */
export function sessionReader(
  catalog: Locator,
  row: SessionRow,
  { archived }: { readonly archived: boolean },
  io: Io,
): () => Iterable<SessionItem> {
  const live = catalog.locate(row)
  if (!archived) return () => readSession(live, io)
  const copy = catalog.locateArchived(row)
  if (!copy) {
    throw new IonError('not-found', `session ${row.id} is not in Ion's archive`, {
      hint: `ion capture ${row.id} copies it there, as it is now`,
    })
  }
  return () => readWithArchive(live, copy, io)
}

/**
 * Whether the archive has more messages and tool calls than the agent. From the index alone: for many sessions, where
 * `countHidden` would read each of them twice.
 */
export function isLongerInArchive(catalog: Locator, row: SessionRow): boolean {
  const copy = row.archived && !row.only_in_archive ? catalog.locateArchived(row) : undefined
  return copy !== undefined && copy.messages + copy.tool_calls > row.messages + row.tool_calls
}

/** How many events are read only with `archived`. */
export function countHidden(catalog: Locator, row: SessionRow, io: Io): EventCount {
  const copy = row.archived ? catalog.locateArchived(row) : undefined
  if (!copy) return 0
  if (isLarge(row, copy.head)) return isLongerInArchive(catalog, row) ? 'some' : 0
  return countOnlyInArchive(catalog.locate(row), copy, io)
}
