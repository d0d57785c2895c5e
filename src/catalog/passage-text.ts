import { type Passage, passageOf } from '../agents/passage.ts'
import { isProblem } from '../events/item.ts'
import { LineCursor } from '../native/line-cursor.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { TITLE_PLACE } from './passage-rowid.ts'
import { readSession, storeAgent } from './read-session.ts'
import { locatedOf, type StoredSession } from './stored-session.ts'

/** The passages at one place of a session, read again from where they stand: the index keeps no text. */
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
