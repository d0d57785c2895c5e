import type { Wish } from './decide.ts'
import type { OnLine, Running } from './launch.ts'
import type { Plan } from './plan.ts'
import type { Found } from './session-lookup.ts'
import type { Task } from './task.ts'

export interface RunRequest extends Wish {
  readonly task: Task
  /** Undefined: as the last time. */
  readonly args: readonly string[] | undefined
  /** A session that Ion did not start and that becomes the task's. */
  readonly adopt: Found | undefined
  /** A session that is gone from the agent's store is put back from its copy. */
  readonly restore: boolean
  readonly agentapi: { readonly persist: boolean; readonly port: string | undefined } | undefined
}

/** Where a run speaks: lines for the user, and the agent's answer. */
export interface Voice {
  say(line: string): void
  print(text: string): void
  /** Yes or no; left out where nobody can answer. */
  ask?(question: string): Promise<boolean>
}

/** Starts what a plan says. The three ways differ in this alone. */
export type Launcher = (plan: Plan, onLine: OnLine) => Promise<Running>
