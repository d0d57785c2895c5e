import type { RunIntent } from './decide.ts'
import type { OnLine, Running } from './launch.ts'
import type { Plan } from './plan.ts'
import type { LocatedSession } from './session-lookup.ts'
import type { Task } from './task.ts'

export interface RunRequest extends RunIntent {
  readonly task: Task
  /** Undefined: as the last time. */
  readonly args: readonly string[] | undefined
  /** A session that Ion did not start and that becomes the task's. */
  readonly adopt: LocatedSession | undefined
  /** A session that is gone from the agent's store is put back from its copy. */
  readonly restore: boolean
  readonly agentapi: { readonly persist: boolean; readonly port: string | undefined } | undefined
}

/** Where a run speaks: lines for the user, and the agent's answer. */
export interface RunReporter {
  notice(line: string): void
  output(text: string): void
  /** Yes or no; left out where nobody can answer. */
  confirm?(question: string): Promise<boolean>
}

/** Starts what a plan says. The three ways differ in this alone. */
export type Launcher = (plan: Plan, onLine: OnLine) => Promise<Running>
