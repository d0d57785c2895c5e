import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { identityOf, isAlive, type ProcessIdentity } from '../platform/process-identity.ts'

/** The variable by which a process tells which run it belongs to. */
export const RUN_VARIABLE = 'ION_RUN'

/**
 * The process of a run that was started but not noted, because Ion died in between: the one with the run's variable in
 * its environment and the program in its command line (what its tools started has the variable too). Only on Linux.
 */
export function processOfRun(run: string, program: string): ProcessIdentity | undefined {
  return findProcesses(run, (words) => words.some((word) => word.includes(program))).next().value ?? undefined
}

/**
 * All processes of a run that are the agent's own, where a tool must not be taken for one: those of a program or script
 * of exactly that name. Some agents are two, of which the first only waits.
 */
export function agentProcesses(run: string, program: string): ProcessIdentity[] {
  return [...findProcesses(run, (words) => words.slice(0, 6).some((word) => basename(word) === program))]
}

function* findProcesses(
  run: string,
  isIt: (words: readonly string[]) => boolean,
): Generator<ProcessIdentity, undefined> {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const mark = markOfRun(name, run, isIt)
    if (mark) yield mark
  }
}

function markOfRun(
  name: string,
  run: string,
  isIt: (words: readonly string[]) => boolean,
): ProcessIdentity | undefined {
  try {
    if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`${RUN_VARIABLE}=${run}\0`)) return undefined
    if (!isIt(readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0'))) return undefined
    const mark = identityOf(Number(name))
    return isAlive(mark) ? mark : undefined
  } catch {
    // Gone, or somebody else's.
    return undefined
  }
}
