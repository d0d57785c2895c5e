import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programVersion } from '../platform/program-version.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

/** Whether an agent's program is installed. */
export interface Installed {
  readonly agent: Agent
  readonly program: string | undefined
  readonly version: string | undefined
}

/** A program may take seconds to print its version. */
const PROGRESS_MS = 250

/** All agents. Their programs are asked for their versions in parallel. */
export async function installedAgents(context: Context): Promise<Installed[]> {
  const progress = progressLine(context)
  let done = 0
  const report = (): void => progress.onProgress({ phase: 'asking for versions', done, total: agents.length })
  const timer = setInterval(report, PROGRESS_MS)
  try {
    return await Promise.all(
      agents.map(async (agent) => {
        const installed = await findInstalled(agent, context.io)
        done++
        return installed
      }),
    )
  } finally {
    clearInterval(timer)
    progress.clear()
  }
}

async function findInstalled(agent: Agent, io: Io): Promise<Installed> {
  const program = findExecutable(agent.binaries, io)
  if (!program) return { agent, program, version: undefined }
  return { agent, program, version: await programVersion(program, io) }
}
