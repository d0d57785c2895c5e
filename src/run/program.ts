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

const MAX_CACHED = 50

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
  const version = await versionOf(path, io)
  if (version !== undefined && compareVersions(version, start.oldest) < 0) {
    throw new IonError('not-installed', `${agent.title} ${version} is too old: Ion starts ${start.oldest} and newer`, {
      hint: agent.install,
    })
  }
  return { path, version }
}

/** The version of a program. Running it takes up to seconds, so the result is cached until the program changes. */
export async function versionOf(path: string, io: Io): Promise<string | undefined> {
  const file = join(ionHome(io), 'programs.json')
  const stamp = programStamp(path)
  const cached = readCache(file)[stamp]
  if (typeof cached === 'string') return cached
  const version = await programVersion(path, io)
  // A program that did not answer in time may do so when the machine is less busy.
  if (version === undefined) return undefined
  // Read again: other versions may have been cached while this program ran.
  const others = Object.entries(readCache(file)).filter(([key]) => !key.startsWith(`${stamp.split(':')[0]}:`))
  try {
    replaceFile(file, JSON.stringify(Object.fromEntries([...others.slice(-MAX_CACHED), [stamp, version]])))
  } catch {
    // Asked again next time.
  }
  return version
}

function readCache(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return value && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
