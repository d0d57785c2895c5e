import type { ProcessIdentity } from '../platform/process-identity.ts'
import type { LedgerEntry, PromptMark, StartKind, Way } from './ledger.ts'

/** What is known of a task, from its ledger alone. */
export interface TaskState {
  readonly session: PinnedSession | undefined
  /** Native ids of the sessions that it had before: a new one is none of them. */
  readonly past: readonly string[]
  /** Cold starts since then whose session is not known yet, oldest first: one of them may have made it. */
  readonly attempts: readonly RunState[]
  readonly runs: readonly RunState[]
  /** The user's arguments for the agent, as they were last given. */
  readonly args: readonly string[]
  /** When the last entry was written; a clock before that was set back. */
  readonly lastAt: string | undefined
}

export interface PinnedSession {
  readonly native_id: string
  readonly files: readonly string[]
  readonly cwd: string
}

export interface RunState {
  readonly run: string
  readonly decision: StartKind
  readonly way: Way
  readonly cwd: string
  readonly plannedAt: string
  /** The native id that was chosen or resumed. */
  readonly session: string
  readonly sessionId?: 'reported'
  /** It ends with the answer to its prompt even in a terminal, and is opened again then. */
  readonly isOneTurn?: true
  readonly prompt: (PromptMark & { readonly state: PromptProgress; readonly at: string }) | undefined
  /** The program, once it was about to be started. */
  readonly program: string | undefined
  readonly process: ProcessIdentity | undefined
  /** Whether the session of this run became the task's. */
  readonly captured: boolean
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined
}

export type PromptProgress = 'pending' | 'handed over' | 'seen'

/** Folds a ledger. Entries of runs that were never planned (their line was torn) are left aside. */
export function taskState(entries: readonly LedgerEntry[]): TaskState {
  const runs = new Map<string, RunState>()
  let session: PinnedSession | undefined
  const past = new Set<string>()
  let args: readonly string[] = []
  for (const entry of entries) {
    if (entry.type === 'planned') {
      runs.set(entry.run, planned(entry))
      args = entry.args
      // A cold start that died is finished as one, whatever session there was before.
      if (entry.decision === 'cold') {
        if (session) past.add(session.native_id)
        session = undefined
      }
      continue
    }
    if (entry.type === 'session') {
      if (session && session.native_id !== entry.native_id) past.add(session.native_id)
      session = { native_id: entry.native_id, files: entry.files, cwd: entry.cwd }
    }
    const run = runs.get(entry.run)
    if (run) runs.set(entry.run, advanced(run, entry))
  }
  const all = [...runs.values()]
  return {
    session,
    past: [...past],
    attempts: session ? [] : attemptsOf(all),
    runs: all,
    args,
    lastAt: entries.at(-1)?.at,
  }
}

function attemptsOf(runs: readonly RunState[]): RunState[] {
  const captured = runs.findLastIndex((run) => run.captured)
  return runs.slice(captured + 1).filter((run) => run.decision === 'cold' && run.program !== undefined)
}

function planned(entry: LedgerEntry & { type: 'planned' }): RunState {
  const { run, decision, way, cwd, session, naming, one_turn, prompt, at } = entry
  return {
    run,
    decision,
    way,
    cwd,
    session,
    ...(naming ? { sessionId: 'reported' as const } : {}),
    ...(one_turn ? { isOneTurn: one_turn } : {}),
    plannedAt: at,
    prompt: prompt && { ...prompt, state: 'pending', at },
    program: undefined,
    process: undefined,
    captured: false,
    exit: undefined,
  }
}

function advanced(run: RunState, entry: LedgerEntry): RunState {
  switch (entry.type) {
    case 'launching':
      return { ...run, program: entry.program }
    case 'launched':
      return { ...run, process: entry.process }
    case 'session':
      return { ...run, captured: true }
    case 'exited':
      return { ...run, exit: { code: entry.code, signal: entry.signal } }
    case 'prompt':
      // A prompt that was seen stays seen, in whatever order the lines were written.
      if (!run.prompt || run.prompt.hash !== entry.hash || run.prompt.state === 'seen') return run
      return { ...run, prompt: { ...run.prompt, state: entry.state, at: entry.at } }
    default:
      return run
  }
}

/** The last run whose prompt is not known to have arrived; undefined when none is due. A later prompt that was seen settles it. */
export function pendingRun({ runs }: TaskState): RunState | undefined {
  const last = runs.findLast((run) => run.prompt)
  return last?.prompt?.state === 'seen' ? undefined : last
}

/** How often this very text is known to have arrived in the session. No clock is asked. */
export function timesSeen(state: TaskState, hash: string): number {
  return runsOfSession(state).filter((run) => run.prompt?.hash === hash && run.prompt.state === 'seen').length
}

/** The last prompt that is known to have arrived in the session; undefined when none is. */
export function lastArrival(state: TaskState): RunState['prompt'] {
  return runsOfSession(state).findLast((run) => run.prompt?.state === 'seen')?.prompt
}

/** From the cold start that made it; all runs when it was adopted. */
function runsOfSession({ runs }: TaskState): readonly RunState[] {
  return runs.slice(
    Math.max(
      0,
      runs.findLastIndex((run) => run.captured && run.decision === 'cold'),
    ),
  )
}
