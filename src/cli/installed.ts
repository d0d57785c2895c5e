import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programStamp, programVersion } from '../platform/program-version.ts'

/** Whether an agent's program is here. */
export interface Installed {
  readonly agent: Agent
  readonly program: string | undefined
  readonly version: string | undefined
}

/** All agents. Versions are asked for at the same time and remembered until the program changes. */
export function installedAgents(catalog: Catalog, io: Io): Promise<Installed[]> {
  return Promise.all(agents.map((agent) => lookAt(agent, catalog, io)))
}

async function lookAt(agent: Agent, catalog: Catalog, io: Io): Promise<Installed> {
  const program = findExecutable(agent.binaries, io)
  if (!program) return { agent, program, version: undefined }
  const key = programStamp(program)
  const known = catalog.recall(key)
  if (known !== undefined) return { agent, program, version: known || undefined }
  const version = await programVersion(program, agent.versionArgs ?? ['--version'], io)
  catalog.remember(key, version ?? '')
  return { agent, program, version }
}
