import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { measuredLevel } from '../../agents/level.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { findExecutable } from '../../platform/executable.ts'
import type { Io } from '../../platform/io.ts'
import { programVersion } from '../../platform/program-version.ts'
import type { AgentEntry } from './contract.ts'

/** Notes about files that cannot be read: so many per agent. */
const MAX_ERRORS = 5

/** Every agent: installed or not, how well it is resumed, what is stored, and what is wrong. */
export function agentList(catalog: Catalog, io: Io): Promise<AgentEntry[]> {
  const overview = catalog.overview()
  const errors = catalog.sourceErrors()
  const real = agents.filter(({ isArchive }) => !isArchive)
  return Promise.all(
    real.map(async (agent): Promise<AgentEntry> => {
      const found = overview.find((one) => one.agent === agent.id)
      const own = errors.filter((error) => error.agent === agent.id)
      const unread = own.slice(0, MAX_ERRORS).map(({ path, problem }) => `${path}: ${problem}`)
      return {
        id: agent.id,
        title: agent.title,
        installed: await installedVersion(agent, io),
        level: measuredLevel(agent).level,
        sessions: found?.sessions ?? 0,
        bytes: found?.bytes ?? 0,
        newest: found?.newest ?? null,
        problems: (found?.problems ?? 0) + own.length,
        notes: [
          ...unread,
          ...(own.length > unread.length
            ? [`${own.length - unread.length} more files cannot be read: ion doctor`]
            : []),
          ...retentionNote(agent, io),
          ...(agent.resume.note === '' ? [] : [agent.resume.note]),
          ...(agent.limits === undefined ? [] : [agent.limits]),
        ],
      }
    }),
  )
}

/** Its version; empty if it is installed and prints none. */
async function installedVersion({ binaries }: Agent, io: Io): Promise<string | null> {
  const program = findExecutable(binaries, io)
  return program === undefined ? null : ((await programVersion(program, io)) ?? '')
}

function retentionNote(agent: Agent, io: Io): string[] {
  const retention = agent.retention?.(io)
  if (!retention) return []
  const rule = `deletes sessions ${retention.days} days old (${retention.setting}); ion capture keeps them`
  return [rule, ...(retention.danger === undefined ? [] : [retention.danger])]
}
