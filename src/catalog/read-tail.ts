import type { Agent } from '../agents/agent.ts'
import { isProblem, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { openBytes } from '../native/byte-file.ts'
import { LineCursor } from '../native/line-cursor.ts'
import { readContext } from '../native/read-context.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type Located, readSession } from './read-session.ts'

const FIRST_WINDOW = 1024 * 1024

export interface Tail {
  readonly items: readonly SessionItem[]
  /** It is the complete session. */
  readonly isWhole: boolean
}

/**
 * The end of a session, with at least so many messages if it has them. Of a file of lines only the end is read, so it may
 * begin in the middle of a turn; any other session is read whole.
 */
export function readTail(located: Located, messages: number, io: Io): Tail {
  const { head, reader } = located
  const size = isOfLines(reader, head, io) ? (attempt(() => sizeOf(head.path)) ?? 0) : 0
  for (let window = FIRST_WINDOW; window < size; window *= 4) {
    const offset = lineAfter(head.path, size - window, io)
    if (offset === undefined) continue
    const reading = { ...readContext(io), startAt: { path: head.path, offset } }
    const items = [...readSession(located, io, reading)]
    if (items.filter(isMessage).length >= messages) return { items, isWhole: false }
  }
  return { items: [...readSession(located, io)], isWhole: true }
}

export function isMessage(item: SessionItem): boolean {
  return !isProblem(item) && (item.event.type === 'user' || item.event.type === 'assistant')
}

/** All of it is in one file, line by line. */
export function isOfLines({ scanner, textFiles, isArchive }: Agent, head: SessionHead, io: Io): boolean {
  if (isArchive) return false
  if (scanner) return scanner.applies?.(head) ?? true
  const files = textFiles?.(head, readContext(io))
  return files?.length === 1 && files[0] === head.path && head.path.endsWith('.jsonl')
}

export function sizeOf(path: string): number {
  const file = openBytes(path)
  try {
    return file.size
  } finally {
    file.close()
  }
}

/** Where the first line after this place begins; undefined if none does. */
export function lineAfter(path: string, place: number, io: Io): number | undefined {
  const cursor = new LineCursor(path, readContext(io), place)
  try {
    return cursor.next() && cursor.terminated ? place + cursor.length + 1 : undefined
  } finally {
    cursor.close()
  }
}
