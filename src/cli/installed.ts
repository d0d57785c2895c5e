import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programStamp, programVersion } from '../platform/program-version.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

/** Whether an agent's program is here. */
export interface Installed {
  readonly agent: Agent
  readonly program: string | undefined
  readonly version: string | undefined
}

/** A program may take seconds to say its version. */
const TELL_MS = 250

/** All agents. Versions are asked for at the same time and remembered until the program changes. */
export async function installedAgents(catalog: Catalog, context: Context): Promise<Installed[]> {
  const progress = progressLine(context)
  let done = 0
  const tell = (): void => progress.onProgress({ phase: 'asking for versions', done, total: agents.length })
  const timer = setInterval(tell, TELL_MS)
  try {
    return await Promise.all(
      agents.map(async (agent) => {
        const installed = await lookAt(agent, catalog, context.io)
        done++
        return installed
      }),
    )
  } finally {
    clearInterval(timer)
    progress.clear()
  }
}

async function lookAt(agent: Agent, catalog: Catalog, io: Io): Promise<Installed> {
  const program = findExecutable(agent.binaries, io)
  if (!program) return { agent, program, version: undefined }
  const key = programStamp(program)
  const known = catalog.recall(key)
  if (known) return { agent, program, version: known }
  const version = await programVersion(program, agent.versionArgs ?? ['--version'], io)
  // One that did not answer in time may do so when the machine is less busy.
  if (version !== undefined) catalog.remember(key, version)
  return { agent, program, version }
}
