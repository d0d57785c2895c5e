import type { Agent } from '../agents/agent.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programVersion } from '../platform/program-version.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

/** Whether an agent's program is installed. */
export interface Installed<A> {
  readonly agent: A
  readonly program: string | undefined
  readonly version: string | undefined
}

/** A program may take seconds to print its version. */
const PROGRESS_MS = 250

/** Of these agents. Their programs are asked for their versions in parallel. */
export async function installedAgents<A extends Pick<Agent, 'binaries'>>(
  agents: readonly A[],
  context: Context,
): Promise<Installed<A>[]> {
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

async function findInstalled<A extends Pick<Agent, 'binaries'>>(agent: A, io: Io): Promise<Installed<A>> {
  const program = findExecutable(agent.binaries, io)
  if (!program) return { agent, program, version: undefined }
  return { agent, program, version: await programVersion(program, io) }
}
