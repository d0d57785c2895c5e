import type { Agent } from '../agents/agent.ts'
import type { Start } from '../agents/start.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import { IonError } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { programVersion } from '../platform/program-version.ts'

export interface Program {
  readonly path: string
  readonly version: string | undefined
}

/** How the agent is started; throws for what Ion only reads. */
export function startOf({ start, title }: Agent): Start {
  if (start) return start
  throw new IonError('usage', `${title} cannot be started`, { hint: 'ion agents' })
}

/** The agent's program, in a version that Ion can start; otherwise throws an error that says how to install it. */
export async function findProgram(agent: Agent, io: Io): Promise<Program> {
  const start = startOf(agent)
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
