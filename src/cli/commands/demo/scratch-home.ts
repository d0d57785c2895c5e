import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../../agents/agent.ts'
import type { Io } from '../../../platform/io.ts'
import { fillHome, SAMPLES_NOW } from './samples.ts'

export interface ScratchHome {
  readonly path: string
  /** The world as it looks from there. */
  readonly io: Io
  /** A folder with the fake agent in it, playing that one. */
  actor(agent: Agent): string
  /** May be called twice. */
  remove(): void
}

/** What of the user's environment may be seen from there: how to print, and where temporary files go. */
const passed = [
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

/** A home of its own with the samples in it. No variable of the user leads out of it, and no agent is on its path. */
export function makeScratchHome({ env, platform }: Io): ScratchHome {
  const path = mkdtempSync(join(tmpdir(), 'ion-demo-'))
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  try {
    fillHome(path)
  } catch (error) {
    remove()
    throw error
  }
  const kept = Object.fromEntries(passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
  const io: Io = {
    // An empty PAGER: what is shown must come back to the tour.
    env: { ...kept, HOME: path, ION_HOME: join(path, '.ion'), PATH: '', PAGER: '' },
    home: path,
    cwd: join(path, 'projects', 'shop'),
    platform,
    now: () => new Date(SAMPLES_NOW),
  }
  return { path, io, actor: (agent) => fakeAgent(agent, path), remove }
}

/** A program with an agent's name that is Ion itself, playing it. */
function fakeAgent({ id, binaries }: Agent, home: string): string {
  const bin = join(home, '.demo-agent')
  mkdirSync(bin, { recursive: true })
  const words = [process.execPath, process.argv[1]!, 'fake-agent', id, '--'].map((word) => `'${word}'`)
  writeFileSync(join(bin, binaries[0]!), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return bin
}
