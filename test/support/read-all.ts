import type { Agent } from '../../src/agents/agent.ts'
import { type Item, isEvent, isProblem, type Problem } from '../../src/events/item.ts'
import type { IonEvent } from '../../src/events/schema.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { type ReadContext, readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'

export interface Listing {
  readonly heads: SessionHead[]
  readonly problems: Problem[]
}

/** Everything an agent lists, sorted by native id. */
export function listAll(agent: Agent, io: Io, reading: ReadContext = readContext(io)): Listing {
  const heads: SessionHead[] = []
  const problems: Problem[] = []
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) problems.push(source)
    else for (const head of agent.heads(source, reading)) isProblem(head) ? problems.push(head) : heads.push(head)
  }
  return { heads: heads.sort((a, b) => (a.native_id < b.native_id ? -1 : 1)), problems }
}

export interface Read {
  readonly events: IonEvent[]
  readonly problems: Problem[]
  readonly items: Item[]
}

export function readAll(agent: Agent, head: SessionHead, io: Io, reading: ReadContext = readContext(io)): Read {
  const items = [...agent.read(head, reading)]
  return {
    items,
    events: items.flatMap((item) => (isEvent(item) ? [item.event] : [])),
    problems: items.filter(isProblem),
  }
}
