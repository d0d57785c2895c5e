import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import type { IonEvent } from '../events/event.ts'
import { isProblem, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'

/** A session's head, and the agent in whose store it is (for an archived copy not the agent that created it). */
export interface Located {
  readonly head: SessionHead
  readonly store: string
}

/** A session in Ion's archive, with what the index has counted in it. */
export interface ArchivedLog extends Located {
  readonly messages: number
  readonly tool_calls: number
}

/** The adapter that reads it. */
export function storeAgent(located: Located): Agent {
  return agents.find((agent) => agent.id === located.store) ?? findAgent(located.head.agent)
}

/** Only the events of what was read. */
export function* eventsIn(items: Iterable<SessionItem>): Generator<IonEvent> {
  for (const item of items) if (!isProblem(item)) yield item.event
}

/** The session's events and problems, in order. Nothing is kept in memory. */
export function readSession(located: Located, io: Io, reading: ReadContext = readContext(io)): Iterable<SessionItem> {
  // The end-of-available marker comes only with `reading.follow`.
  return storeAgent(located).read(located.head, reading) as Iterable<SessionItem>
}
