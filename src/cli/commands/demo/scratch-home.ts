import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent } from '../../../agents/agent.ts'
import { IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'

export interface ScratchHome {
  readonly path: string
  /** The environment inside it. */
  readonly io: Io
  /** Installs a fake of that agent and returns the folder to put on the path. */
  installFake(agent: Agent): string
  /** May be called twice. */
  remove(): void
}

/** Variables that are passed on: how to print, and where temporary files go. */
const passedVariables = [
  'TERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLUMNS',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
]

/** A temporary home with the samples. No variable of the user points outside it, and no agent is on its path. */
export function makeScratchHome({ env, platform, now }: Io): ScratchHome {
  const path = mkdtempSync(join(tmpdir(), 'ion-demo-'))
  // Retries, because a process that was just killed may still be completing a write.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  try {
    fillHome(path)
  } catch (error) {
    remove()
    throw error
  }
  const passed = Object.fromEntries(
    passedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
  const io: Io = {
    // No pager: the tour captures the output.
    env: { ...passed, HOME: path, ION_HOME: join(path, '.ion'), PATH: '', PAGER: '' },
    home: path,
    cwd: join(path, 'projects', 'shop'),
    platform,
    // The real time, which the sessions that the tour starts have too; but no sample may be from the future.
    now: () => new Date(Math.max(now().getTime(), Date.parse(SAMPLES_NOW))),
  }
  return { path, io, installFake: (agent) => installFake(agent, path), remove }
}

/** A program with the agent's name that calls the fake agent, which is built beside Ion. */
function installFake({ id, binaries }: Agent, home: string): string {
  const program = join(dirname(realpathSync(process.argv[1]!)), 'fake-agent.cjs')
  if (!existsSync(program)) {
    throw new IonError('failed', `the fake agent of the demo is missing: ${program}`, { hint: 'reinstall Ion' })
  }
  const bin = join(home, '.demo-agent')
  mkdirSync(bin, { recursive: true })
  const words = [process.execPath, program, id].map((word) => `'${word}'`)
  writeFileSync(join(bin, binaries[0]!), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return bin
}

/** When the samples were made, right after the last of their sessions. */
export const SAMPLES_NOW = '2026-11-15T18:00:00Z'

/** Title of the session that the demo shows in detail. */
export const FEATURED_TITLE = 'Customers get their refund twice'

/** Title of a session of the agent to which the demo hands over. */
export const OTHER_AGENT_TITLE = 'Fix the checkout test that fails after midnight'

/** Modification times of the sample files, which neither git nor npm preserves. */
const TIMES = 'times.json'

/** The bundled samples, in a folder above this file: in `src/`, in a build or in an installed package. */
export function samplesFolder(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const samples = join(folder, 'samples')
    if (existsSync(join(samples, TIMES))) return samples
    if (dirname(folder) === folder) break
  }
  throw new IonError('failed', 'the sample sessions are missing', { hint: 'reinstall Ion' })
}

/** Copies the samples of all agents into one home. */
export function fillHome(home: string, samples: string = samplesFolder()): void {
  for (const entry of readdirSync(samples, { withFileTypes: true })) {
    if (entry.isDirectory()) cpSync(join(samples, entry.name), home, { recursive: true })
  }
  const times = JSON.parse(readFileSync(join(samples, TIMES), 'utf8')) as Record<string, string>
  for (const [path, time] of Object.entries(times)) {
    const file = join(home, path.slice(path.indexOf('/') + 1))
    // An installed package may be read-only.
    chmodSync(file, 0o600)
    utimesSync(file, new Date(time), new Date(time))
  }
}
