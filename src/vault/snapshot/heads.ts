import type { Agent } from '../../agents/agent.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { LeftOut } from './create.ts'

/** All sessions of an agent, sub-agents last, since most of them are part of their parent. */
export function listHeads(agent: Agent, io: Io, onProblem?: (problem: LeftOut) => void): SessionHead[] {
  const reading = readContext(io)
  const heads: SessionHead[] = []
  const report = (problem: string): void => onProblem?.({ agent: agent.id, id: null, reason: problem })
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) report(source.problem)
    else for (const head of agent.heads(source, reading)) isProblem(head) ? report(head.problem) : heads.push(head)
  }
  return heads.sort((a, b) => Number(Boolean(a.parent_session)) - Number(Boolean(b.parent_session)))
}
