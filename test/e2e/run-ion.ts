import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFolder } from '../support/built.ts'
import { copyTree, scratchFolder } from '../support/scratch.ts'
import { unprivileged } from '../support/unprivileged.ts'

/** A scratch machine: a home with agents' stores, and a folder for Ion's own data. */
export interface Machine {
  readonly root: string
  readonly home: string
  readonly ionHome: string
}

/** `fixtures` are paths below src/agents, such as `claude/fixtures/2.1.325`. */
export function machine(...fixtures: string[]): Machine {
  const root = scratchFolder()
  const home = join(root, 'home')
  mkdirSync(home)
  for (const fixture of fixtures) copyTree(fileURLToPath(new URL(`../../src/agents/${fixture}`, import.meta.url)), home)
  return { root, home, ionHome: join(root, 'ion') }
}

export interface Outcome {
  /** Null when it had to be killed. */
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** Peak memory in MB. */
  readonly peakMb: number
}

export interface RunOptions {
  /** Default: the home. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Obeys file permissions even where the tests run as root; see `canRunUnprivileged`. */
  readonly unprivileged?: true
  readonly timeoutMs?: number
  /** Called with the pid as soon as it runs. */
  readonly onStart?: (pid: number) => void
}

/** Saves the program's peak memory in the file that a variable names. */
const peakHook = `
const { writeFileSync } = require('node:fs')
process.on('exit', () => {
  try { writeFileSync(process.env.ION_TEST_PEAK, String(process.resourceUsage().maxRSS)) } catch {}
})`

let count = 0

/** Runs the built program as a user would in a pipe. Never throws; a program that hangs is killed, with code null. */
export function runIon(
  { root, home, ionHome }: Machine,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const run = join(root, `run-${++count}`)
  mkdirSync(run, { mode: 0o777 })
  const hook = join(run, 'hook.cjs')
  const peak = join(run, 'peak')
  writeFileSync(hook, peakHook)
  writeFileSync(peak, '0', { mode: 0o666 })
  const command = ['-r', hook, join(builtFolder(), 'ion.cjs'), ...args]
  const [program, programArgs] = options.unprivileged
    ? unprivileged(process.execPath, command)
    : [process.execPath, command]
  const child = spawn(program, programArgs, {
    cwd: options.cwd ?? home,
    env: {
      PATH: dirname(process.execPath),
      HOME: home,
      ION_HOME: ionHome,
      ION_TEST_PEAK: peak,
      TMPDIR: root,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) options.onStart?.(child.pid)
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 60_000)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, out: '', err: error.message, peakMb: 0 }))
    child.on('close', (code) => {
      clearTimeout(timer)
      // Gone if the test ended before the program did.
      const peakKb = existsSync(peak) ? Number(readFileSync(peak, 'utf8')) : 0
      resolve({ code, ...said, peakMb: peakKb / 1024 })
    })
  })
}

/** Rows of `ion sessions --json`. */
export async function listed(where: Machine, options: RunOptions = {}): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await runIon(where, ['sessions', '--all', '--json', '--limit', '0'], options)
  if (code !== 0) throw new Error(`ion sessions: ${code} ${err}`)
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
