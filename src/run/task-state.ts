import type { ProcessIdentity } from '../platform/process.ts'
import type { LedgerDamage, LedgerEntry, NewsEntry, PromptIdentity, RunMode, StartKind } from './ledger.ts'

/** What is known about a task from its ledger alone. */
export interface TaskState {
  readonly session: PinnedSession | undefined
  /** Native ids of its earlier sessions: a new session is not one of them. */
  readonly past: readonly string[]
  /** Cold starts since then whose session is unknown, oldest first: one of them may have created it. */
  readonly attempts: readonly RunState[]
  readonly runs: readonly RunState[]
  /** The user's latest arguments for the agent. */
  readonly args: readonly string[]
  /** When the last entry was written. */
  readonly lastAt: string | undefined
  /** The ledger has lost entries. */
  readonly damage?: LedgerDamage
  /** There is a record of the session beside the ledger. */
  readonly hasRecord?: boolean
  /** The session is known from that record alone. */
  readonly isRecovered?: boolean
}

export interface PinnedSession {
  readonly native_id: string
  readonly files: readonly string[]
  readonly cwd: string
}

export interface RunState {
  readonly run: string
  readonly decision: StartKind
  readonly mode: RunMode
  readonly cwd: string
  readonly plannedAt: string
  /** The native id that was assigned or resumed. */
  readonly session: string
  readonly sessionId?: 'reported'
  /** The agent ends after its prompt even in a terminal, and is then opened again. */
  readonly isOneTurn?: true
  readonly prompt: (PromptIdentity & { readonly state: PromptProgress; readonly at: string }) | undefined
  /** The program; undefined until it was about to be started. */
  readonly program: string | undefined
  readonly process: ProcessIdentity | undefined
  /** The agent answered and stored nothing: why. */
  readonly unstored?: string
  /** Whether the session of this run became the task's. */
  readonly captured: boolean
  /** In another home, perhaps on this machine: its process is not one of this task here. */
  readonly isElsewhere?: true
  readonly exit: RunExit | undefined
}

export interface RunExit {
  readonly code: number | null
  readonly signal: string | null
  /** Ion was asked to stop it. */
  readonly stopped?: true
}

export type PromptProgress = 'pending' | 'handed over' | 'seen'

/** Replays a ledger. Entries of unplanned runs (their line was torn) are ignored. */
export function taskState(entries: readonly LedgerEntry[], damage?: LedgerDamage): TaskState {
  const runs = new Map<string, RunState>()
  let session: PinnedSession | undefined
  const past = new Set<string>()
  let args: readonly string[] = []
  for (const entry of entries) {
    if (entry.type === 'planned') {
      runs.set(entry.run, planned(entry))
      args = entry.args
      // Only in a ledger that has lost the line that says so.
      if (entry.decision === 'warm') session ??= { native_id: entry.session, files: [], cwd: entry.cwd }
      // An interrupted cold start is completed as one, whatever session there was before.
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
    if (entry.type === 'restored') for (const [id, run] of runs) runs.set(id, { ...run, isElsewhere: true })
    const run = runs.get(entry.run)
    if (run) runs.set(entry.run, advanced(run, entry))
  }
  const all = [...runs.values()]
  return {
    session,
    past: [...past],
    attempts: session ? [] : attemptsOf(all, damage !== undefined),
    runs: all,
    args,
    lastAt: entries.at(-1)?.at,
    ...(damage ? { damage } : {}),
  }
}

/** The runs as they are with what was found out since. */
export function withNews(state: TaskState, news: readonly NewsEntry[]): TaskState {
  const at = state.lastAt ?? ''
  const runs = state.runs.map((run) =>
    news.filter((entry) => entry.run === run.run).reduce((now, entry) => advanced(now, { at, ...entry }), run),
  )
  return { ...state, runs }
}

function attemptsOf(runs: readonly RunState[], isDamaged: boolean): RunState[] {
  const captured = runs.findLastIndex((run) => run.captured)
  // The line that says that the agent was started may be one of those that were lost.
  return runs.slice(captured + 1).filter((run) => run.decision === 'cold' && (isDamaged || run.program !== undefined))
}

function planned(entry: LedgerEntry & { type: 'planned' }): RunState {
  const { run, decision, way, cwd, session, naming, one_turn, prompt, at } = entry
  return {
    run,
    decision,
    mode: way,
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
    case 'unstored':
      return { ...run, unstored: entry.reason }
    case 'exited':
      return { ...run, exit: { code: entry.code, signal: entry.signal, ...(entry.stopped ? { stopped: true } : {}) } }
    case 'prompt':
      // A prompt that has arrived stays so, in whatever order the lines were written.
      if (!run.prompt || run.prompt.hash !== entry.hash || run.prompt.state === 'seen') return run
      return { ...run, prompt: { ...run.prompt, state: entry.state, at: entry.at } }
    default:
      return run
  }
}

/** Whether the task was never started, as far as anybody knows. */
export function isUntouched({ runs, session, damage }: TaskState): boolean {
  return runs.length === 0 && !session && !damage
}

/** The last run with a prompt, if that is not known to have arrived. */
export function pendingRun({ runs }: TaskState): RunState | undefined {
  const last = runs.findLast((run) => run.prompt)
  return last?.prompt?.state === 'seen' ? undefined : last
}

/** How often exactly this text is known to have arrived in the session. */
export function timesSeen(state: TaskState, hash: string): number {
  return runsOfSession(state).filter((run) => run.prompt?.hash === hash && run.prompt.state === 'seen').length
}

/** The last prompt that is known to have arrived in the session. */
export function lastArrival(state: TaskState): RunState['prompt'] {
  return runsOfSession(state).findLast((run) => run.prompt?.state === 'seen')?.prompt
}

/** The prompts of these runs that are known to have arrived. */
export function arrivals(runs: readonly RunState[]): PromptIdentity[] {
  return arrivedRuns(runs).map(({ prompt }) => prompt)
}

/** These runs, without those whose prompt is not known to have arrived. */
export function arrivedRuns(runs: readonly RunState[]): (RunState & { prompt: NonNullable<RunState['prompt']> })[] {
  return runs.flatMap((run) => (run.prompt?.state === 'seen' ? [{ ...run, prompt: run.prompt }] : []))
}

/** From the cold start that created it; all runs if it was adopted. */
export function runsOfSession({ runs }: TaskState): readonly RunState[] {
  return runs.slice(
    Math.max(
      0,
      runs.findLastIndex((run) => run.captured && run.decision === 'cold'),
    ),
  )
}
