import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { bootId, identityOf, isAlive, type ProcessIdentity } from '../platform/process.ts'
import type { RunState, TaskState } from './task-state.ts'

/** The environment variable that names the run of a process. */
export const RUN_VARIABLE = 'ION_RUN'

/**
 * The process of a run that was started but not recorded, because Ion died in between: the one with the run's variable in
 * its environment and the program in its command line (processes of its tools have the variable too). Linux only.
 */
export function processOfRun(run: string, program: string): ProcessIdentity | undefined {
  return findProcesses(run, (argv) => argv.some((word) => word.includes(program))).next().value ?? undefined
}

/**
 * All processes of a run that are the agent itself and not its tools: those of a program or script with exactly that
 * name. Some agents are two processes, of which the first only waits.
 */
export function agentProcesses(run: string, program: string): ProcessIdentity[] {
  return [...findProcesses(run, (argv) => argv.slice(0, 6).some((word) => basename(word) === program))]
}

function* findProcesses(
  run: string,
  isAgent: (argv: readonly string[]) => boolean,
): Generator<ProcessIdentity, undefined> {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const identity = identityIfOfRun(name, run, isAgent)
    if (identity) yield identity
  }
}

function identityIfOfRun(
  name: string,
  run: string,
  isAgent: (argv: readonly string[]) => boolean,
): ProcessIdentity | undefined {
  try {
    if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`${RUN_VARIABLE}=${run}\0`)) return undefined
    if (!isAgent(readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0'))) return undefined
    const identity = identityOf(Number(name))
    return isAlive(identity) ? identity : undefined
  } catch {
    // Ended, or another user's.
    return undefined
  }
}

/** A living agent process that Ion started, and its run. */
export interface RunningAgent {
  readonly process: ProcessIdentity
  readonly run: RunState
}

/** The living agents of a task's runs, newest first. */
export function runningAgents(state: TaskState): RunningAgent[] {
  const found = state.runs.toReversed().flatMap((run) => {
    if (run.exit || run.program === undefined || run.isElsewhere) return []
    const process = run.process ?? processOfRun(run.run, run.program)
    return process && isAlive(process) ? [{ process, run }] : []
  })
  return found.length > 0 ? found : leftBehind(state.runs.at(-1))
}

/** Some agents are two processes, and one may survive the other. */
function leftBehind(run: RunState | undefined): RunningAgent[] {
  if (!run || run.program === undefined || run.isElsewhere || (run.exit && run.exit.signal === null)) return []
  if (run.process && run.process.boot !== bootId()) return []
  return agentProcesses(run.run, run.program).map((process) => ({ process, run }))
}
