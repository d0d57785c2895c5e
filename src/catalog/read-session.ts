import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import { isProblem, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'

/** A session's head, and the adapter that reads it: that of its store (for an archived copy not the agent that created it). */
export interface Located {
  readonly head: SessionHead
  readonly reader: Agent
}

/** A session in Ion's archive, with what the index has counted in it. */
export interface ArchivedLog extends Located {
  readonly messages: number
  readonly tool_calls: number
}

/** Only the events of what was read. */
export function* eventsIn(items: Iterable<SessionItem>): Generator<IonEvent> {
  for (const item of items) if (!isProblem(item)) yield item.event
}

/** The session's events and problems, in order. Nothing is kept in memory. */
export function readSession(
  { head, reader }: Located,
  io: Io,
  reading: ReadContext = readContext(io),
): Iterable<SessionItem> {
  // The end-of-available marker comes only with `reading.follow`.
  return reader.read(head, reading) as Iterable<SessionItem>
}
