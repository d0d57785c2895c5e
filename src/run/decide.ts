import type { Agent } from '../agents/agent.ts'
import { sessionId } from '../events/id.ts'
import type { ErrorKind } from '../platform/error.ts'
import type { Facts } from './facts.ts'
import type { RunMode } from './ledger.ts'
import type { ProjectDoubt } from './locate-task.ts'
import { isEqualPrompt, NUDGE } from './prompt.ts'
import type { LocatedSession } from './session-lookup.ts'
import { lastArrival, type RunState, type TaskState } from './task-state.ts'

/** What the user asks for. */
export interface RunIntent {
  readonly agent: Agent
  /** As it is typed: `ion run claude --task login`. */
  readonly command: string
  /** The real path of the user's current folder. */
  readonly cwd: string
  readonly mode: RunMode
  readonly prompt: string | undefined
  /** Send the prompt as one more turn, even if the task has a session. */
  readonly send: boolean
  readonly isNew: boolean
  /** Stop the agent that Ion runs on the task first; open a session that another process has open. */
  readonly steal: boolean
  /** For a prompt that the task's session does not have: `resume` sends nothing and says so, so that a workspace starts. */
  readonly onOtherPrompt: 'refuse' | 'resume'
  /** Why the task may not belong to this folder. */
  readonly doubt?: ProjectDoubt
}

interface Start {
  readonly reason: string
  readonly cwd: string
  /** Undefined: the agent is opened, and nothing is sent. */
  readonly prompt: string | undefined
  readonly notes: readonly string[]
}

/** What is done, and why. */
export type Decision =
  | (Start & { readonly decision: 'cold' })
  | (Start & { readonly decision: 'warm'; readonly session: LocatedSession })
  /** Nothing is started: without a terminal there is nothing to do. */
  | (Pick<Start, 'reason' | 'notes'> & { readonly decision: 'none'; readonly session: LocatedSession })
  | {
      readonly decision: 'refused'
      readonly kind: ErrorKind
      readonly reason: string
      readonly hint: string
      /**
       * What the user can decide in the terminal: to send another prompt to this session or start a new one; which session
       * is the task's.
       */
      readonly code?: 'other_prompt' | 'several_sessions'
    }

/** The reason of a task's first start. */
export const NO_SESSION = 'no session yet'

/** Pure: the same intent, ledger and facts give the same decision. */
export function decide(intent: RunIntent, state: TaskState, facts: Facts): Decision {
  const { agent, doubt } = intent
  if (doubt) return refused(doubt.kind, doubt.reason, doubt.hint)
  if (facts.unreadable !== undefined) {
    return refused(
      'failed',
      `cannot read the sessions of ${agent.title}: ${facts.unreadable}`,
      'fix that and try again',
    )
  }
  const busy = intent.steal ? undefined : refusalOfLive(intent, facts)
  if (busy) return busy
  const decision = withWarning(intent, state, decideIdle(intent, state, facts))
  if (!intent.steal || decision.decision === 'refused') return decision
  return { ...decision, notes: [...notesOnStealing(intent, facts, decision), ...decision.notes] }
}

/** Lost entries are reported once: later ones are written after them. */
function withWarning({ isNew }: RunIntent, { damage, isRecovered }: TaskState, decision: Decision): Decision {
  if (decision.decision === 'refused' || isNew || !(isRecovered || damage?.isRecent)) return decision
  const what = `the task's ledger ${damage?.what ?? 'has lost lines'}`
  const note =
    decision.decision === 'cold' ? `${what}; no session of the task was found` : `${what}; its session was found`
  return { ...decision, notes: [note, ...decision.notes] }
}

/** When no process is using the task or its session. */
function decideIdle(intent: RunIntent, state: TaskState, facts: Facts): Decision {
  if (intent.isNew) return cold(intent, 'a new session was requested', intent.prompt)
  if (facts.session) return decideWarm(intent, state, facts, facts.session)
  if (facts.missingSession !== undefined) return decideMissing(intent, facts, facts.missingSession)
  if (facts.candidates.length > 0) return severalCandidates(intent, facts.candidates)
  const { pendingPrompt, unstoredPrompt } = facts
  if (unstoredPrompt) return coldAfterUnstored(intent, unstoredPrompt)
  if (!pendingPrompt) return cold(intent, state.runs.length ? 'no session was stored yet' : NO_SESSION, intent.prompt)
  const reason = `${interruption(pendingPrompt.run, facts)} before a session was stored, so the prompt is still pending`
  return coldAgain(intent, pendingPrompt, reason)
}

function severalCandidates(intent: RunIntent, candidates: readonly LocatedSession[]): Decision {
  const ids = candidates.map(({ head }) => head.id)
  return {
    ...refused(
      'refused',
      `the task's ledger has lost its entries, and ${ids.length} sessions may be its session: ${ids.join(', ')}`,
      `ion --resume <id> resumes one of them; ${typed(intent)} --new "…" starts a new one`,
    ),
    code: 'several_sessions',
  }
}

/** No session, but the last prompt was answered: doing the work a second time may do harm. */
function coldAfterUnstored(intent: RunIntent, unstored: NonNullable<Facts['unstoredPrompt']>): Decision {
  const { prompt, send, onOtherPrompt } = intent
  const was = unstoredReason(intent, unstored)
  const isOther = prompt !== undefined && !isEqualPrompt(prompt, unstored.text)
  if (isOther || send) return cold(intent, was, prompt)
  if (onOtherPrompt === 'resume') return cold(intent, was, undefined, ['that prompt is not sent again automatically'])
  return refused(
    'refused',
    `${was}; it is not sent again automatically`,
    `fix that; ${typed(intent)} --new "…" sends it again in a new session`,
  )
}

function unstoredReason({ agent }: RunIntent, { reason }: NonNullable<Facts['unstoredPrompt']>): string {
  return `${agent.title} answered the last prompt but stored nothing (${reason})`
}

/** Repeats a cold start that stored no session; a new prompt replaces one that never arrived. */
function coldAgain(intent: RunIntent, { run, text }: NonNullable<Facts['pendingPrompt']>, reason: string): Decision {
  const isReplaced = intent.prompt !== undefined && !isEqualPrompt(intent.prompt, text)
  if (isReplaced && run.program !== undefined && intent.send) {
    return refused(
      'refused',
      'the previous prompt never arrived',
      `${intent.command} sends that first; ${intent.command} --new discards it`,
    )
  }
  const notes = isReplaced ? [REPLACED] : []
  return cold(intent, reason, intent.prompt ?? text, notes)
}

function refusalOfLive({ agent, command }: RunIntent, { running, openIn, session }: Facts): Decision | undefined {
  if (running) {
    const { process, run } = running
    const next =
      run.mode === 'detached'
        ? 'it lost its terminal, so stop it: ion stop'
        : `wait for it, or stop it: kill ${process.pid}`
    return refused(
      'refused',
      `${agent.title} is still running on this task (pid ${process.pid})`,
      `${next}; ${command} --steal stops it and takes over`,
    )
  }
  if (openIn === undefined || !session) return undefined
  return refused(
    'refused',
    `session ${idOf(agent, session)} is open in another ${agent.title} (pid ${openIn})`,
    `close it there; ${command} --steal opens it twice`,
  )
}

/** For a dry run: a real run has stopped the agent by now, and reported it. */
function notesOnStealing({ agent }: RunIntent, { running, openIn }: Facts, decision: Decision): string[] {
  if (running) return [`${agent.title} is running on this task (pid ${running.process.pid}) and is stopped first`]
  if (openIn === undefined || decision.decision !== 'warm') return []
  const name = idOf(agent, decision.session)
  return [
    `session ${name} is also open in another ${agent.title} (pid ${openIn}), which Ion did not start and does not stop`,
  ]
}

function decideWarm(intent: RunIntent, state: TaskState, facts: Facts, session: LocatedSession): Decision {
  const { agent, command, prompt, send } = intent
  const { pendingPrompt: pending, promptArrivedAt } = facts
  const name = `session ${idOf(agent, session)}`
  if (!session.head.resumable) {
    // Killed while it wrote the first lines. No prompt had arrived, so nothing is lost.
    if (pending && !lastArrival(state)) {
      const what = interruption(pending.run, facts)
      return coldAgain(intent, pending, `${name} is incomplete: ${what} before the prompt arrived`)
    }
    if (facts.unstoredPrompt && !lastArrival(state)) return coldAfterUnstored(intent, facts.unstoredPrompt)
    return refused(
      'refused',
      `${agent.title} cannot resume ${name}: ${agent.resume.note}`,
      `ion show ${session.head.id}; ${command} --new starts another`,
    )
  }
  if (pending) return decidePending(intent, state, facts, { session, name, pending })
  const { unstoredPrompt } = facts
  const notes = unstoredPrompt ? [unstoredReason(intent, unstoredPrompt)] : []
  if (prompt !== undefined && send) {
    const doing = prompt === NUDGE ? 'asking the agent to continue' : 'sending your prompt'
    return warm(intent, session, `${name}, ${doing}`, prompt, notes)
  }
  const isUnstored = prompt !== undefined && unstoredPrompt && isEqualPrompt(prompt, unstoredPrompt.text)
  if (isUnstored && intent.onOtherPrompt === 'refuse') {
    return refused(
      'refused',
      `${notes.join()}; ${name} does not have it, and it is not sent again automatically`,
      `fix that; ${typed(intent)} --send "…" sends it again; --new sends it in a new session`,
    )
  }
  const arrived = promptArrivedAt === undefined ? name : `${name}, prompt delivered ${promptArrivedAt}`
  if (prompt !== undefined && !isUnstored && facts.promptArrivedIn !== 'session') {
    const note = resumesWithOther(intent, facts)
    if (note === undefined) return refusedOther(intent, arrived)
    notes.push(note)
  }
  if (intent.mode === 'headless') return { decision: 'none', reason: `${arrived}, nothing to send`, session, notes }
  return warm(intent, session, arrived, undefined, notes)
}

/** The note of a start that resumes although another prompt was given; undefined if it must not. */
function resumesWithOther({ mode, command, onOtherPrompt }: RunIntent, facts: Facts): string | undefined {
  // Without a terminal the last answer is printed, which would look like the answer to this prompt.
  if (mode === 'headless') return undefined
  if (onOtherPrompt === 'resume') return unsent(command)
  // The start script of a task that was started again with --new.
  if (mode === 'detached' && facts.promptArrivedIn === 'earlier session') {
    return 'this prompt went to an earlier session of the task and is not sent again'
  }
  return undefined
}

function refusedOther(intent: RunIntent, arrived: string): Decision {
  const command = typed(intent)
  return {
    ...refused(
      'refused',
      `this task already has a session (${arrived}), and this is another prompt`,
      `${command} --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task`,
    ),
    code: 'other_prompt',
  }
}

interface Undelivered {
  readonly session: LocatedSession
  readonly name: string
  readonly pending: NonNullable<Facts['pendingPrompt']>
}

/** The session exists, and the last prompt is not in it. */
function decidePending(
  intent: RunIntent,
  state: TaskState,
  facts: Facts,
  { session, name, pending }: Undelivered,
): Decision {
  const { prompt, send, mode, command } = intent
  const reason = `${name}, sending your prompt (${interruption(pending.run, facts)} before it arrived)`
  const isOther = prompt !== undefined && !isEqualPrompt(prompt, pending.text)
  if (!isOther) return warm(intent, session, reason, pending.text)
  if (send) {
    return refused(
      'refused',
      'the previous prompt has not arrived yet',
      `${command} sends it; then give this one again`,
    )
  }
  // The session is the one that this task created, and it is still empty.
  const isEmpty = !lastArrival(state) && state.runs.some((run) => run.decision === 'cold')
  if (isEmpty) return warm(intent, session, reason, prompt, [REPLACED])
  const isKnown = facts.promptArrivedIn === 'session'
  if (isKnown && mode !== 'headless') return warm(intent, session, reason, pending.text)
  const note = isKnown ? undefined : resumesWithOther(intent, facts)
  if (note !== undefined) return warm(intent, session, reason, pending.text, [note])
  return refused(
    'refused',
    `the previous prompt has not arrived yet in ${name}, and this is another one`,
    `${typed(intent)} sends the previous one first; --new starts a new session with this one`,
  )
}

/** The ledger knows a session that the agent's store no longer has. */
function decideMissing(intent: RunIntent, facts: Facts, nativeId: string): Decision {
  const { agent, command } = intent
  const gone = `session ${sessionId(agent.id, nativeId)} is gone from the store of ${agent.title}`
  if (facts.promptArrivedAt === undefined) {
    if (facts.unstoredPrompt) return coldAfterUnstored(intent, facts.unstoredPrompt)
    return cold(intent, `${gone}, and no prompt had arrived`, intent.prompt ?? facts.pendingPrompt?.text)
  }
  return refused(
    'refused',
    `${gone}; its prompt was delivered ${facts.promptArrivedAt} and is not sent again automatically`,
    `${command} --new "…" starts the task again in a new session`,
  )
}

function cold(intent: RunIntent, reason: string, prompt: string | undefined, notes: readonly string[] = []): Decision {
  if (intent.mode === 'headless' && prompt === undefined) {
    return refused(
      'usage',
      'there is nothing to send, and without a terminal nobody can type',
      `${intent.command} "what to do"`,
    )
  }
  return { decision: 'cold', reason, cwd: intent.cwd, prompt, notes }
}

function warm(
  intent: RunIntent,
  session: LocatedSession,
  reason: string,
  prompt: string | undefined,
  notes: readonly string[] = [],
): Decision {
  const cwd = session.head.cwd ?? intent.cwd
  const moved = cwd === intent.cwd ? [] : [`runs in ${cwd}, the session's own folder`]
  return { decision: 'warm', reason, cwd, session, prompt, notes: [...notes, ...moved] }
}

function refused(kind: ErrorKind, reason: string, hint: string): Decision & { decision: 'refused' } {
  return { decision: 'refused', kind, reason, hint }
}

const REPLACED = 'the earlier prompt never arrived; sending the new one instead'

/** The command in the mode that the user chose. */
export function typed({ command, mode }: Pick<RunIntent, 'command' | 'mode'>): string {
  return `${command}${{ terminal: '', headless: ' --headless', detached: ' --detach' }[mode]}`
}

function unsent(command: string): string {
  return `the new prompt was not sent: this task already has a session (${command} --send "…" sends it there, --new starts another)`
}

function interruption(run: RunState, { bootId }: Facts): string {
  if (run.process !== undefined && run.process.boot !== bootId) return 'the machine went down'
  if (run.program === undefined) return 'Ion was stopped'
  if (run.exit?.code) return `the agent ended with exit code ${run.exit.code}`
  return run.exit && !run.exit.signal ? 'the agent ended' : 'the agent was killed'
}

/** In full: there is no index here to tell which prefixes are unique. */
function idOf(agent: Agent, { head }: LocatedSession): string {
  return sessionId(agent.id, head.native_id)
}
