// Other programs that read the same files, for comparison, where npm can get them.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenCpuMs } from './shell-times.ts'

/** Pinned: of later versions not every one has a program for Linux in the registry. */
const versions = { ccusage: '20.0.24', '@tokscale/core': '1.4.3' } as const

/** Counts the tokens of all sessions below HOME; in a file of its own, since it is measured. */
const TOKSCALE = `
const { parseLocalSources } = require('@tokscale/core')
const { messages } = parseLocalSources({ homeDir: process.env.HOME, sources: ['claude', 'codex'] })
console.log(messages.length)`

type Peer = 'ccusage' | 'tokscale'

export interface Peers {
  /** CPU time of one run over a home. */
  run(peer: Peer, home: string): Promise<{ readonly cpuMs: number }>
}

/** Undefined, after saying why, where they cannot be had. */
export function findPeers(say: (text: string) => void, scratch: string): Peers | undefined {
  try {
    const folder = installed(say)
    const commands: Readonly<Record<Peer, readonly string[]>> = {
      ccusage: [ccusageProgram(say), 'session', '--offline', '--json'],
      tokscale: [process.execPath, join(folder, 'tokscale.cjs')],
    }
    return { run: async (peer, home) => ({ cpuMs: cpuOf(commands[peer], home, scratch) }) }
  } catch (error) {
    say(`without ccusage and tokscale: ${String(error).split('\n')[0]}`)
    return undefined
  }
}

/** The program of ccusage; throws where it cannot be had. */
export function ccusageProgram(say: (text: string) => void): string {
  const program = `${installed(say)}/node_modules/@ccusage/ccusage-${process.platform}-${process.arch}/bin/ccusage`
  chmodSync(program, 0o755)
  return program
}

/** Where both are installed, once for all runs, outside the project. */
function installed(say: (text: string) => void): string {
  const folder = join(tmpdir(), 'ion-bench-peers')
  const wanted = JSON.stringify(versions)
  const mark = join(folder, 'versions.json')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
  const partial = `${folder}.partial`
  for (const old of [folder, partial]) rmSync(old, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), '{ "private": true }\n')
  say(`installing ccusage and tokscale in ${folder} (once; they are kept)`)
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--package-lock=false', '--loglevel=error']
  execFileSync('npm', ['install', ...packages, ...quiet], { cwd: partial, stdio: ['ignore', 'ignore', 'pipe'] })
  writeFileSync(join(partial, 'tokscale.cjs'), TOKSCALE)
  writeFileSync(join(partial, 'versions.json'), wanted)
  renameSync(partial, folder)
  return folder
}

/** Nothing of the real environment is passed on, and what the program writes goes to a scratch folder. */
function cpuOf([program, ...args]: readonly string[], home: string, scratch: string): number {
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    XDG_CONFIG_HOME: scratch,
    XDG_CACHE_HOME: scratch,
    XDG_DATA_HOME: scratch,
  }
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', '"$@" >/dev/null || exit; times', 'bash', program!, ...args],
    { encoding: 'utf8', cwd: scratch, env },
  )
  if (status !== 0) throw new Error(`${program} ended with ${status}\n${stderr}`)
  return childrenCpuMs(stdout)
}
