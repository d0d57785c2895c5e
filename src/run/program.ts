import type { Agent } from '../agents/agent.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import { IonError } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programVersion } from '../platform/program-version.ts'

export interface Program {
  readonly path: string
  readonly version: string | undefined
}

/** The agent's program, in a version that Ion can start; otherwise throws an error that says how to install it. */
export async function findProgram(agent: Agent, io: Io): Promise<Program> {
  const { start } = agent
  if (!start) throw new IonError('usage', `${agent.title} cannot be started`, { hint: 'ion agents' })
  const path = findExecutable(agent.binaries, io)
  if (!path) {
    throw new IonError('not-installed', `${agent.title} is not installed: no "${agent.binaries[0]}" on the PATH`, {
      hint: agent.install,
    })
  }
  const version = await programVersion(path, io)
  if (version !== undefined && compareVersions(version, start.oldest) < 0) {
    throw new IonError('not-installed', `${agent.title} ${version} is too old: Ion starts ${start.oldest} and newer`, {
      hint: agent.install,
    })
  }
  return { path, version }
}
