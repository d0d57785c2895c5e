import { type Passage, passageOf } from '../agents/passage.ts'
import { isProblem } from '../events/item.ts'
import { LineCursor } from '../native/line-cursor.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { readSession, storeAgent } from './read-session.ts'
import { locatedOf, type StoredSession } from './stored-session.ts'

/** A passage's row id: seconds since this day times 64, plus a number within the second. They sort by time. */
const EPOCH = Date.UTC(2000, 0, 1)
const PER_SECOND = 64

/** The place of a session's title, which is not in its events. */
export const TITLE_PLACE = -1

export class PassageIds {
  #lastTime = ''
  #lastId = 1

  /** The lowest id for a passage of that time. */
  first(iso: string): number {
    if (iso === this.#lastTime) return this.#lastId
    this.#lastTime = iso
    this.#lastId = idAt(Date.parse(iso))
    return this.#lastId
  }
}

export function idAt(milliseconds: number): number {
  const seconds = Math.floor((milliseconds - EPOCH) / 1000)
  return seconds > 0 ? seconds * PER_SECOND : 1
}

/** The time of an id, to the second. */
export function timeAt(id: number): string {
  return new Date(EPOCH + Math.floor(id / PER_SECOND) * 1000).toISOString()
}

/** The passages at one place of a session, read from the agent's store: the index keeps no text. */
export function passagesAt(session: StoredSession, place: number, io: Io): readonly Passage[] {
  if (place === TITLE_PLACE) {
    return [{ role: 'title', text: session.title ?? '', time: session.updated_at ?? '', cut: false }]
  }
  const located = locatedOf(session)
  const { scanner } = storeAgent(located)
  const reading = readContext(io)
  if (scanner && (scanner.applies?.(located.head) ?? true)) {
    const cursor = new LineCursor(session.path, reading, place)
    try {
      return cursor.next() ? scanner.passages(cursor) : []
    } finally {
      cursor.close()
    }
  }
  for (const item of readSession(located, io, reading)) {
    if (isProblem(item) || item.event.seq !== place) continue
    const passage = passageOf(item.event)
    return passage ? [passage] : []
  }
  return []
}
