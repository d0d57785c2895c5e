import type { Agent } from '../agents/agent.ts'
import { bootId } from '../platform/boot.ts'
import type { Io } from '../platform/io.ts'
import { sleepSync } from '../platform/sleep-sync.ts'
import type { NewsEntry } from './ledger.ts'
import { loadPrompt } from './prompt.ts'
import { type RunningAgent, runningAgents } from './running-agents.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable } from './session-lookup.ts'
import { pendingRun, type RunState, type TaskState, timesSeen } from './task-state.ts'

/** What the machine and the agent's store say about a task, beside its ledger. */
export interface Facts {
  /** The task's session, as it is in the store; undefined when there is none or it is gone. */
  readonly session: LocatedSession | undefined
  /** The ledger knows a session that the store does not have. */
  readonly missingSession: string | undefined
  /** A prompt that was to be sent and has not arrived, with its text. */
  readonly pendingPrompt: { readonly run: RunState; readonly text: string } | undefined
  /** The agent's process of an earlier run that still lives, and which run that is. */
  readonly running: RunningAgent | undefined
  /** The process that has the session open, as the agent's own mark says. */
  readonly openIn: number | undefined
  /** Why the store could not be looked at; then nothing is decided. */
  readonly unreadable: string | undefined
  /** What was found out and is not in the ledger yet. */
  readonly news: readonly NewsEntry[]
}

const nothing: Facts = {
  session: undefined,
  missingSession: undefined,
  pendingPrompt: undefined,
  running: undefined,
  openIn: undefined,
  unreadable: undefined,
  news: [],
}

/** Looks. Changes nothing, and reads a transcript only where a prompt may or may not have arrived. */
export function gatherFacts(
  agent: Agent,
  folder: string,
  state: TaskState,
  io: Io,
  others: () => ReadonlySet<string>,
): Facts {
  const [running] = runningAgents(state)
  const store = new SessionLookup(agent, io, folder)
  for (let tries = 1; ; tries++) {
    try {
      return state.session
        ? pinnedFacts(agent, folder, state, store, io, running)
        : attemptFacts(folder, state, store, io, running, others)
    } catch (error) {
      if (!(error instanceof StoreUnreadable)) throw error
      if (!error.isPassing || tries === TRIES) return { ...nothing, running, unreadable: error.message }
    }
    sleepSync(WAIT_MS)
  }
}

/** A database that another session of the agent writes into at this moment is free again within these two seconds. */
const TRIES = 20
const WAIT_MS = 100

function pinnedFacts(
  agent: Agent,
  folder: string,
  state: TaskState,
  store: SessionLookup,
  io: Io,
  running: Facts['running'],
): Facts {
  const { native_id, files } = state.session!
  const session = store.find(native_id, files) ?? sessionElsewhere(agent, state)
  if (!session) return { ...nothing, running, missingSession: native_id, pendingPrompt: undatedDue(folder, state) }
  const { due, news } = dueOf(folder, state, session, store)
  return {
    ...nothing,
    session,
    pendingPrompt: due,
    news,
    running,
    openIn: agent.live?.(io, [native_id]).get(native_id) || undefined,
  }
}

/** On a server, since a prompt arrived in it and it was never seen here. */
function sessionElsewhere({ start }: Agent, { session, runs }: TaskState): LocatedSession | undefined {
  if (!session || !runs.some((run) => run.prompt?.state === 'seen')) return undefined
  const { native_id, files } = session
  const head = start?.remote?.head(native_id, files)
  return head && { head, files }
}

/** Which of the cold starts that died made a session, if any did: one with the prompt in it before one without. */
function attemptFacts(
  folder: string,
  state: TaskState,
  store: SessionLookup,
  io: Io,
  running: Facts['running'],
  others: () => ReadonlySet<string>,
): Facts {
  let found:
    | { session: LocatedSession; run: RunState; due: Facts['pendingPrompt']; news: readonly NewsEntry[] }
    | undefined
  for (const run of state.attempts.toReversed()) {
    const prompt = run.prompt && loadPrompt(run.prompt, folder)
    const session = store.findNew({
      session: run.session,
      sessionId: run.sessionId,
      cwd: run.cwd,
      since: isClockBack(state, io) ? undefined : new Date(run.plannedAt),
      prompt,
      not: new Set([...others(), ...state.past]),
    })
    if (!session?.head.resumable) continue
    const { due, news } = dueOf(folder, state, session, store)
    if (!found || (found.due && !due)) found = { session, run, due, news }
  }
  if (!found) return { ...nothing, running, pendingPrompt: undatedDue(folder, state) }
  const { session, run, due, news } = found
  const pin: NewsEntry = {
    type: 'session',
    run: run.run,
    native_id: session.head.native_id,
    files: session.files,
    cwd: session.head.cwd ?? run.cwd,
    how: 'found',
  }
  return { ...nothing, session, pendingPrompt: due, running, news: [pin, ...news] }
}

/** A prompt that is due when there is no transcript to look into. */
function undatedDue(folder: string, state: TaskState): Facts['pendingPrompt'] {
  const run = pendingRun(state)
  return run?.prompt && { run, text: loadPrompt(run.prompt, folder) }
}

/** The prompt that is due, after a look into the transcript; it may stand there already, and then that is news. */
function dueOf(
  folder: string,
  state: TaskState,
  session: LocatedSession,
  store: SessionLookup,
): { due: Facts['pendingPrompt']; news: readonly NewsEntry[] } {
  const run = pendingRun(state)
  if (!run?.prompt) return { due: undefined, news: [] }
  const { hash } = run.prompt
  const text = loadPrompt(run.prompt, folder)
  // The agent was not even about to be started: it cannot have it.
  if (run.program === undefined) return { due: { run, text }, news: [] }
  const before = timesSeen(state, hash)
  // Where nobody can look, it may have it, unless it said itself that it failed.
  const isDue = store.isElsewhere(session.head)
    ? (run.exit?.code ?? 0) !== 0
    : store.countPrompt(session.head, text, before + 1) <= before
  if (isDue) return { due: { run, text }, news: [] }
  return { due: undefined, news: [{ type: 'prompt', run: run.run, hash, state: 'seen' }] }
}

/** The last entry is from the future. */
function isClockBack({ lastAt }: TaskState, io: Io): boolean {
  return lastAt !== undefined && io.now().getTime() < Date.parse(lastAt)
}

/** Whether the machine was started anew since that run. */
export function isOtherBoot(run: RunState): boolean {
  return run.process !== undefined && run.process.boot !== bootId()
}
