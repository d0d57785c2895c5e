import { bootId } from '../platform/boot.ts'
import { isAlive, type ProcessIdentity } from '../platform/process-identity.ts'
import { agentProcesses, processOfRun } from './run-processes.ts'
import type { RunState, TaskState } from './task-state.ts'

/** A process of an agent that Ion started and that lives, and the run that it is of. */
export interface RunningAgent {
  readonly process: ProcessIdentity
  readonly run: RunState
}

/** The agents of a task's runs that live, the newest first. */
export function runningAgents(state: TaskState): RunningAgent[] {
  const found = state.runs.toReversed().flatMap((run) => {
    if (run.exit || run.program === undefined) return []
    const process = run.process ?? processOfRun(run.run, run.program)
    return process && isAlive(process) ? [{ process, run }] : []
  })
  return found.length > 0 ? found : leftBehind(state.runs.at(-1))
}

/** Of an agent that is two processes the one may be killed and the other live on. */
function leftBehind(run: RunState | undefined): RunningAgent[] {
  if (!run || run.program === undefined || (run.exit && run.exit.signal === null)) return []
  if (run.process && run.process.boot !== bootId()) return []
  return agentProcesses(run.run, run.program).map((process) => ({ process, run }))
}
