import type { AgentOverview, SessionList } from '../catalog/catalog.ts'
import type { Io } from '../platform/io.ts'
import { hasCopy } from '../vault/manifest.ts'

/** How many of the listed sessions that are only in Ion's archive can be restored. */
export function countRestorable(
  overview: readonly AgentOverview[],
  list: Pick<SessionList, 'sessions'>,
  io: Io,
): number {
  const agents = overview.filter(({ only_in_archive }) => only_in_archive > 0).map(({ agent }) => agent)
  if (agents.length === 0) return 0
  return list.sessions({ agents, onlyInArchive: true }).filter((row) => hasCopy(row, io)).length
}
