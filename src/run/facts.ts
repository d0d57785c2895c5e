import type { Agent } from '../agents/agent.ts'
import type { Dialog, StartRequest } from '../agents/start.ts'
import type { Io } from '../platform/io.ts'
import { localTime } from '../platform/local-time.ts'
import { bootId } from '../platform/process.ts'
import { currentFolder, type FolderMove } from '../platform/project.ts'
import type { NewsEntry } from './ledger.ts'
import { findLostSessions } from './lost-session.ts'
import { isAmong, loadPrompt, storedPrompts } from './prompt.ts'
import { type RunningAgent, runningAgents } from './run-processes.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable, whenReadable } from './session-lookup.ts'
import type { RecordedPrompt } from './session-record.ts'
import {
  arrivals,
  lastArrival,
  type PinnedSession,
  pendingRun,
  type RunState,
  runsOfSession,
  type TaskState,
  timesSeen,
  withNews,
} from './task-state.ts'

/** What the machine and the agent's store say about a task, in addition to its ledger. */
export interface Facts {
  /** The task's session in the store; undefined if it has none or it is missing. */
  readonly session: LocatedSession | undefined
  /** The ledger knows a session that the store does not have. */
  readonly missingSession: string | undefined
  /** A prompt that has not arrived yet, with its text. */
  readonly pendingPrompt: { readonly run: RunState; readonly text: string } | undefined
  /** A prompt that was answered, and that is not in the agent's store: why. */
  readonly unstoredPrompt: { readonly text: string; readonly reason: string } | undefined
  /** The agent of an earlier run that is still alive. */
  readonly running: RunningAgent | undefined
  /** The process that has the session open, as the agent itself records it. */
  readonly openIn: number | undefined
  /** Why the store could not be read; nothing can be decided then. */
  readonly unreadable: string | undefined
  /** When the last prompt is known to have arrived in the session, in local time. */
  readonly promptArrivedAt: string | undefined
  /** Where the prompt of this run arrived before. */
  readonly promptArrivedIn: 'session' | 'earlier session' | undefined
  /** Sessions of which one may be the task's, where its ledger no longer says which. */
  readonly candidates: readonly LocatedSession[]
  /** Prompts of the task in the session, where its ledger no longer says so. */
  readonly foundPrompts: readonly RecordedPrompt[]
  /** Identifies this boot of the machine. */
  readonly bootId: string
  /** What is not in the ledger yet. */
  readonly news: readonly NewsEntry[]
}

/** Changes nothing, and reads a transcript only if a prompt may or may not have arrived. */
export function gatherFacts(
  agent: Agent,
  folder: string,
  state: TaskState,
  io: Io,
  others: () => ReadonlySet<string>,
  moves: readonly FolderMove[] = [],
  prompt?: string,
): Facts {
  const arrival = lastArrival(state)
  const facts: Facts = {
    session: undefined,
    missingSession: undefined,
    pendingPrompt: undefined,
    unstoredPrompt: undefined,
    running: runningAgents(state)[0],
    openIn: undefined,
    unreadable: undefined,
    promptArrivedAt: arrival && localTime(arrival.at),
    promptArrivedIn: undefined,
    candidates: [],
    foundPrompts: [],
    bootId: bootId(),
    news: [],
  }
  const gathering = { agent, folder, state, io, others, moves, store: new SessionLookup(agent, io, folder) }
  try {
    return whenReadable(() => {
      const found = state.session ? pinnedFacts(gathering, state.session) : attemptFacts(gathering)
      const foundPrompts = found.session ? promptsIn(gathering, found.session) : []
      const promptArrivedIn = whereArrived(prompt, withNews(state, found.news ?? []), foundPrompts, folder)
      const session = found.session && inItsFolder(found.session, moves)
      return { ...facts, ...found, session, foundPrompts, promptArrivedIn }
    })
  } catch (error) {
    if (!(error instanceof StoreUnreadable)) throw error
    return { ...facts, unreadable: error.message }
  }
}

interface Gathering {
  readonly agent: Agent
  readonly folder: string
  readonly state: TaskState
  readonly io: Io
  readonly others: () => ReadonlySet<string>
  readonly moves: readonly FolderMove[]
  readonly store: SessionLookup
}

function pinnedFacts(gathering: Gathering, { native_id, files }: PinnedSession): Partial<Facts> {
  const { agent, state, store, io } = gathering
  const session = store.find(native_id, files) ?? remoteSession(agent, state)
  if (!session) return { missingSession: native_id, ...promptOfRun(gathering) }
  const openIn = agent.live?.(io, [native_id]).get(native_id) || undefined
  const pending = pendingIn(gathering, session)
  const news = state.isRecovered ? [pinOf(session, RECOVERED, state.session?.cwd ?? ''), ...pending.news] : pending.news
  return { session, ...pending, news, openIn }
}

/** The run of entries that replace lost ones. */
const RECOVERED = 'recovered'

function pinOf({ head, files }: LocatedSession, run: string, cwd: string): NewsEntry {
  return { type: 'session', run, native_id: head.native_id, files, cwd: head.cwd ?? cwd, how: 'found' }
}

/** The ledger does not say which session is the task's, and there is no second record of it. */
function lostFacts({ folder, state, store, others }: Gathering): Partial<Facts> {
  if (!state.damage || state.hasRecord || state.runs.length > 0) return {}
  const candidates = findLostSessions(store, folder, () => new Set([...others(), ...state.past]))
  const [session] = candidates
  if (!session || candidates.length > 1) return { candidates }
  return { session, news: [pinOf(session, RECOVERED, '')] }
}

/** Which of the task's prompts are in the session. Only where neither ledger nor record can say. */
function promptsIn({ folder, state, store }: Gathering, { head }: LocatedSession): RecordedPrompt[] {
  if (!state.damage || state.hasRecord || store.isRemote(head)) return []
  const known = new Set(arrivals(state.runs).map(({ hash }) => hash))
  return storedPrompts(folder).flatMap(({ text, ...prompt }) =>
    !known.has(prompt.hash) && store.countPrompt(head, text, 1) > 0 ? [{ run: RECOVERED, ...prompt }] : [],
  )
}

/** Not every store records that a folder was moved. */
function inItsFolder({ head, files }: LocatedSession, moves: readonly FolderMove[]): LocatedSession {
  return { head: head.cwd === null ? head : { ...head, cwd: currentFolder(head.cwd, moves) }, files }
}

/** A session on the agent's server: a prompt arrived in it, and it was never in the local store. */
function remoteSession({ start }: Agent, { session, runs }: TaskState): LocatedSession | undefined {
  if (!session || !runs.some((run) => run.prompt?.state === 'seen')) return undefined
  const { native_id, files } = session
  const head = start?.remote?.head(native_id, files)
  return head && { head, files }
}

/** The session of an interrupted cold start, if there is one: preferably one that has the prompt. */
function attemptFacts(gathering: Gathering): Partial<Facts> {
  const { folder, state, store, io, others } = gathering
  let found: (Pending & { session: LocatedSession; run: RunState }) | undefined
  for (const run of state.attempts.toReversed()) {
    const session = store.findNew({
      session: run.session,
      sessionId: run.sessionId,
      cwd: run.cwd,
      since: isClockBack(state, io) ? undefined : new Date(run.plannedAt),
      prompt: run.prompt && loadPrompt(run.prompt, folder),
      not: new Set([...others(), ...state.past]),
    })
    if (!session?.head.resumable) continue
    const pending = pendingIn(gathering, session)
    if (!found || (found.pendingPrompt && !pending.pendingPrompt)) found = { session, run, ...pending }
  }
  if (!found) return { ...promptOfRun(gathering), ...lostFacts(gathering) }
  const { session, run, pendingPrompt, unstoredPrompt, news } = found
  return { session, pendingPrompt, unstoredPrompt, news: [pinOf(session, run.run, run.cwd), ...news] }
}

type Pending = Pick<Facts, 'pendingPrompt' | 'unstoredPrompt' | 'news'>

/** The pending prompt when there is no transcript to check. */
function promptOfRun({ folder, state }: Gathering): Pending {
  const run = pendingRun(state)
  return run?.prompt ? undelivered(run, loadPrompt(run.prompt, folder)) : NOTHING_PENDING
}

const NOTHING_PENDING: Pending = { pendingPrompt: undefined, unstoredPrompt: undefined, news: [] }

/** A prompt that is not in the store: it is still pending, unless the agent answered it. */
function undelivered(run: RunState, text: string): Pending {
  if (run.unstored === undefined) return { ...NOTHING_PENDING, pendingPrompt: { run, text } }
  return { ...NOTHING_PENDING, unstoredPrompt: { text, reason: run.unstored } }
}

/** The pending prompt after checking the transcript; if it has arrived there, that is news. */
function pendingIn({ folder, state, store }: Gathering, { head }: LocatedSession): Pending {
  const run = pendingRun(state)
  if (!run?.prompt) return NOTHING_PENDING
  const { hash } = run.prompt
  const text = loadPrompt(run.prompt, folder)
  const pending = undelivered(run, text)
  // The agent was never started, so it cannot have the prompt.
  if (run.program === undefined && !state.damage) return pending
  const before = timesSeen(state, hash)
  // A remote transcript cannot be checked: the prompt counts as arrived unless the agent failed.
  const isPending = store.isRemote(head)
    ? (run.exit?.code ?? 0) !== 0
    : store.countPrompt(head, text, before + 1) <= before
  if (isPending) return pending
  return { ...NOTHING_PENDING, news: [{ type: 'prompt', run: run.run, hash, state: 'seen' }] }
}

function whereArrived(
  prompt: string | undefined,
  state: TaskState,
  found: readonly RecordedPrompt[],
  folder: string,
): Facts['promptArrivedIn'] {
  if (prompt === undefined) return undefined
  if (isAmong(prompt, [...arrivals(runsOfSession(state)), ...found], folder)) return 'session'
  return isAmong(prompt, arrivals(state.runs), folder) ? 'earlier session' : undefined
}

/** Whether the clock was set back: the last entry is from the future. */
function isClockBack({ lastAt }: TaskState, io: Io): boolean {
  return lastAt !== undefined && io.now().getTime() < Date.parse(lastAt)
}

/** What the agent will ask before the first turn. If its settings cannot be read, the agent itself reports that. */
export function expectedDialogs(
  { start }: Agent,
  request: Pick<StartRequest, 'cwd' | 'io' | 'args'>,
): readonly Dialog[] {
  try {
    return start!.dialogs?.(request) ?? []
  } catch {
    return []
  }
}
