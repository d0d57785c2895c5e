import type { Io } from '../platform/io.ts'
import type { RunIntent } from './decide.ts'
import type { OnLine, Running } from './launch.ts'
import type { NewsEntry } from './ledger.ts'
import type { ProjectMove } from './locate-task.ts'
import type { Plan } from './plan.ts'
import type { LocatedSession } from './session-lookup.ts'
import type { Task } from './task.ts'

export interface RunRequest extends RunIntent {
  readonly task: Task
  /** Undefined: as last time. */
  readonly args: readonly string[] | undefined
  /** Passed if no arguments were given, now or at an earlier start: the user's settings of today. */
  readonly defaultArgs: readonly string[]
  /** A session that Ion did not start and that becomes the task's session. */
  readonly adopt: LocatedSession | undefined
  /** Restore a session that is missing from the agent's store. */
  readonly restore: boolean
  /** The project was moved, and the task has yet to follow. */
  readonly moved?: ProjectMove
  /** It is kept in a store while it runs. */
  readonly isReplicated?: true
  readonly agentapi: { readonly persist: boolean; readonly port: string | undefined } | undefined
}

/** What the user may answer: a letter or number to type, and what it means. */
export interface Choice {
  readonly key: string
  readonly label: string
}

/** Where a run prints notices for the user and the agent's answer. */
export interface RunReporter {
  notice(line: string): void
  output(text: string): void
  /** What the ledger got since the agent was started. */
  recorded?(entry: NewsEntry): void
  /** Asks yes or no; undefined if nobody can answer. */
  confirm?(question: string, enter?: 'yes' | 'no'): Promise<boolean>
  /** Asks for one of several; undefined if the user cancels. Absent if nobody can answer. */
  choose?(question: string, choices: readonly Choice[]): Promise<string | undefined>
}

/** What every step of a run needs. */
export interface RunContext {
  readonly request: RunRequest
  readonly io: Io
  readonly reporter: RunReporter
}

/** Starts the agent of a plan. The only difference between the three modes. */
export type Launcher = (plan: Plan, onLine: OnLine) => Promise<Running>
