import type { Agent } from '../agents/agent.ts'
import type { Part } from '../agents/keep.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { startReading } from '../native/reading.ts'
import type { Io } from '../platform/io.ts'
import type { LeftOut } from './create.ts'

/** All sessions of an agent, those of sub-agents last: most of them stand with their parent already. */
export function headsOf(agent: Agent, io: Io, onProblem?: (problem: LeftOut) => void): SessionHead[] {
  const reading = startReading(io)
  const heads: SessionHead[] = []
  const tell = (problem: string): void => onProblem?.({ agent: agent.id, id: null, reason: problem })
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) tell(source.problem)
    else for (const head of agent.heads(source, reading)) isProblem(head) ? tell(head.problem) : heads.push(head)
  }
  return heads.sort((a, b) => Number(Boolean(a.parent_session)) - Number(Boolean(b.parent_session)))
}

/** What is in the snapshot already. */
export class Covered {
  readonly #known = new Set<string>()

  hasAll(agent: string, parts: readonly Part[]): boolean {
    return parts.flatMap((part) => keysOf(agent, part)).every((key) => this.#known.has(key))
  }

  add(agent: string, parts: readonly Part[]): void {
    for (const part of parts) for (const key of keysOf(agent, part)) this.#known.add(key)
  }
}

function keysOf(agent: string, part: Part): string[] {
  const place = `${agent}/${part.root}/${part.path}`
  if (part.kind === 'file') return [place]
  return part.tables.map(({ table, where }) => JSON.stringify([place, table, where]))
}
