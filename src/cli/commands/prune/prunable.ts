import { type PruneCandidate, pruneCandidates } from '../../../archive/prune/candidates.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { tasksBySession } from '../../../run/tasks.ts'

export type Prunable = PruneCandidate<SessionRow>

/** The sessions in the stores of these agents, or of all if none is given, with the reasons that protect them. */
export function prunableSessions(catalog: Catalog, agents: readonly string[], io: Io): Prunable[] {
  const tasks = tasksBySession(io)
  const input = {
    rows: catalog.sessions({ ...(agents.length > 0 ? { agents } : {}), hidden: true, subAgents: true }),
    headOf: (row: SessionRow) => catalog.locate(row).head,
    pinReason: (agent: string, nativeId: string) => {
      const task = tasks.get(`${agent}/${nativeId}`)
      return task && `the task "${task.name}" in ${tilde(task.project, io)} needs it`
    },
  }
  return pruneCandidates(input, io)
}
