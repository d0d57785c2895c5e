import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runFloor, runNode, type Usage } from '../child.ts'
import { interleaved, median } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

const BODY_MB = 200
const GOAL_MS = 60

/** CPU time before the agent starts: for a new session, and for resuming a large one. */
export async function run({ program, scratch, rounds, say }: BenchContext): Promise<Row[]> {
  const folder = scratch('run')
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  const prepared = join(folder, 'prepared')
  for (const made of [home, bin]) mkdirSync(made)
  const played = `exec '${process.execPath}' '${join(dirname(program), 'fake-agent.cjs')}' claude "$@"`
  agent(bin, played)
  const env = { HOME: home, ION_HOME: prepared, PATH: bin }
  const first = spawnSync(process.execPath, [program, 'run', 'claude', '--headless', 'x'], { cwd: home, env })
  if (first.status !== 0) throw new Error(`the first start failed: ${first.stderr}`)
  say(`  a session of ${BODY_MB} MB`)
  grow(home)
  agent(bin, '[ "$1" = --version ] && echo 2.1.325; exit 0')
  const start = (words: readonly string[], ready: boolean) => (): Promise<Usage> => {
    const ionHome = join(folder, 'ion')
    rmSync(ionHome, { recursive: true, force: true })
    if (ready) cpSync(prepared, ionHome, { recursive: true })
    // The program's version is known, as after the first time.
    else cpSync(join(prepared, 'programs.json'), join(ionHome, 'programs.json'), { recursive: true })
    return runNode(folder, [program, 'run', 'claude', '--headless', ...words], { home, ionHome, path: bin })
  }
  // Asks the program that is installed now for its version, once.
  await runNode(folder, [program, 'run', 'claude', '--headless', '--dry-run', 'y'], {
    home,
    ionHome: prepared,
    path: bin,
  })
  const { floor, cold, warm } = await interleaved(rounds.short, {
    floor: () => runFloor(folder),
    cold: start(['--task', 'other', 'y'], false),
    warm: start(['--send', 'y'], true),
  })
  const row = (id: string, what: string, runs: readonly Usage[]): Row => {
    const over = median(runs.map(({ spawnCpuMs }) => spawnCpuMs!)) - median(floor.map(({ cpuMs }) => cpuMs))
    return {
      id,
      what,
      unit: 'ms',
      goal: GOAL_MS,
      value: over,
      detail: `of CPU over an empty Node, median of ${runs.length}`,
    }
  }
  return [
    row('run-cold', 'before the agent starts, new session', cold),
    row('run-warm', `before the agent starts, resuming a session of ${BODY_MB} MB`, warm),
  ]
}

function agent(bin: string, script: string): void {
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'claude'), 0o755)
}

/** Records that are not messages, so that only the size grows. */
function grow(home: string): void {
  const projects = join(home, '.claude', 'projects')
  const project = readdirSync(projects)[0]!
  const name = readdirSync(join(projects, project))[0]!
  const line = `${JSON.stringify({ type: 'file-history-snapshot', text: 'x'.repeat(10_000) })}\n`
  const file = join(projects, project, name)
  mkdirSync(dirname(file), { recursive: true })
  for (let written = 0; written < BODY_MB * 1e6; written += line.length * 1000) appendFileSync(file, line.repeat(1000))
}
