import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import { IonError } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { programStamp, programVersion } from '../platform/program-version.ts'

export interface Program {
  readonly path: string
  readonly version: string | undefined
}

/** The agent's program, of a version that Ion knows how to start; else an error that says how to get it. */
export async function findProgram(agent: Agent, io: Io): Promise<Program> {
  const { start } = agent
  if (!start) throw new IonError('usage', `${agent.title} cannot be started`, { hint: 'ion agents' })
  const path = findExecutable(agent.binaries, io)
  if (!path) {
    throw new IonError('not-installed', `${agent.title} is not installed: no "${agent.binaries[0]}" on the PATH`, {
      hint: agent.install,
    })
  }
  const version = await knownVersion(agent, path, io)
  if (version !== undefined && compareVersions(version, start.oldest) < 0) {
    throw new IonError('not-installed', `${agent.title} ${version} is too old: Ion starts ${start.oldest} and newer`, {
      hint: agent.install,
    })
  }
  return { path, version }
}

/** Asking takes up to seconds, so the answer is remembered until the program changes. */
async function knownVersion(agent: Agent, path: string, io: Io): Promise<string | undefined> {
  const file = join(ionHome(io), 'programs.json')
  const stamp = programStamp(path)
  const known = readKnown(file)
  if (typeof known[stamp] === 'string') return known[stamp]
  const version = await programVersion(path, agent.versionArgs ?? ['--version'], io)
  if (version === undefined) return undefined
  const others = Object.entries(known).filter(([key]) => !key.startsWith(`${stamp.split(':')[0]}:`))
  try {
    replaceFile(file, JSON.stringify(Object.fromEntries([...others.slice(-50), [stamp, version]])))
  } catch {
    // It is asked again the next time.
  }
  return version
}

function readKnown(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return value && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
