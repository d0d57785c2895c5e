import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { measuredLevel } from '../../agents/level.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { findExecutable } from '../../platform/executable.ts'
import type { Io } from '../../platform/io.ts'
import { programVersion } from '../../platform/program-version.ts'
import type { AgentEntry } from './contract.ts'

/** Every agent: installed or not, how well it is resumed, and what is stored. What is wrong is for the doctor to say. */
export function agentList(catalog: Catalog, io: Io): Promise<AgentEntry[]> {
  const overview = catalog.overview()
  const real = agents.filter(({ isArchive }) => !isArchive)
  return Promise.all(
    real.map(async (agent): Promise<AgentEntry> => {
      const found = overview.find((one) => one.agent === agent.id)
      return {
        id: agent.id,
        title: agent.title,
        installed: await installedVersion(agent, io),
        level: measuredLevel(agent).level,
        sessions: found?.sessions ?? 0,
        bytes: found?.bytes ?? 0,
        newest: found?.newest ?? null,
        resume_note: agent.resume.note,
        limits: agent.limits ?? '',
      }
    }),
  )
}

/** Its version; empty if it is installed and prints none. */
async function installedVersion({ binaries }: Agent, io: Io): Promise<string | null> {
  const program = findExecutable(binaries, io)
  return program === undefined ? null : ((await programVersion(program, io)) ?? '')
}
