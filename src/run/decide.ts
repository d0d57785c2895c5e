import type { Agent } from '../agents/agent.ts'
import { sessionId } from '../events/id.ts'
import type { ExitKind } from '../platform/error.ts'
import type { Facts } from './facts.ts'
import { isOtherBoot } from './facts.ts'
import type { Way } from './ledger.ts'
import { promptIdentity } from './prompt.ts'
import type { LocatedSession } from './session-lookup.ts'
import { lastArrival, type RunState, type TaskState } from './task-state.ts'

/** What the user asks for. */
export interface RunIntent {
  readonly agent: Agent
  /** As it is typed: `ion run claude --task login`. */
  readonly command: string
  /** The real folder that the user is in. */
  readonly cwd: string
  readonly way: Way
  readonly prompt: string | undefined
  /** The prompt is one more turn, even if the task has a session. */
  readonly send: boolean
  readonly isNew: boolean
  /** What Ion runs on the task is ended first; a session that another process has open is opened all the same. */
  readonly steal: boolean
}

/** What is done, and why. */
export type Decision =
  | {
      readonly decision: 'cold'
      readonly reason: string
      readonly cwd: string
      readonly prompt: string | undefined
      readonly notes: readonly string[]
    }
  | {
      readonly decision: 'warm'
      readonly reason: string
      readonly cwd: string
      readonly session: LocatedSession
      /** Undefined: the session is opened, and nothing is sent. */
      readonly prompt: string | undefined
      readonly notes: readonly string[]
    }
  /** Nothing is started: without a terminal there is nothing to do. */
  | {
      readonly decision: 'none'
      readonly reason: string
      readonly session: LocatedSession
      readonly notes: readonly string[]
    }
  | { readonly decision: 'refused'; readonly kind: ExitKind; readonly reason: string; readonly hint: string }

/** Pure: the same ledger, facts and wish give the same answer. */
export function decide(wish: RunIntent, state: TaskState, facts: Facts): Decision {
  const { agent } = wish
  if (facts.unreadable !== undefined) {
    return refused(
      'failed',
      `cannot tell what ${agent.title} has stored: ${facts.unreadable}`,
      'mend that, and try again',
    )
  }
  const busy = wish.steal ? undefined : refusalOfLive(wish, facts)
  if (busy) return busy
  const verdict = decideFree(wish, state, facts)
  if (!wish.steal || verdict.decision === 'refused') return verdict
  return { ...verdict, notes: [...notesOfStolen(wish, facts, verdict), ...verdict.notes] }
}

/** When nothing stands in the way. */
function decideFree(wish: RunIntent, state: TaskState, facts: Facts): Decision {
  if (wish.isNew) return cold(wish, 'a new session was asked for', wish.prompt)
  if (facts.session) return decideWarm(wish, state, facts, facts.session)
  if (facts.missingSession !== undefined) return decideGone(wish, state, facts, facts.missingSession)
  if (!facts.pendingPrompt)
    return cold(wish, state.runs.length ? 'no session was stored yet' : 'no session yet', wish.prompt)
  return coldAgain(
    wish,
    facts.pendingPrompt,
    `${whatHappened(facts.pendingPrompt.run)} before a session was stored, so the prompt is still due`,
  )
}

/** A cold start that came to nothing is made again; another prompt takes the place of one that never arrived. */
function coldAgain(wish: RunIntent, { run, text }: NonNullable<Facts['pendingPrompt']>, reason: string): Decision {
  const replaced = wish.prompt !== undefined && wish.prompt !== text
  if (replaced && run.program !== undefined && wish.send) {
    return refused(
      'refused',
      'the task before it never arrived',
      `${wish.command} sends that first; ${wish.command} --new forgets it`,
    )
  }
  return cold(
    wish,
    reason,
    wish.prompt ?? text,
    replaced ? ['the earlier prompt never arrived; the new one is sent in its place'] : [],
  )
}

function refusalOfLive({ agent, command }: RunIntent, { running, openIn, session }: Facts): Decision | undefined {
  if (running) {
    const { process, run } = running
    const end =
      run.way === 'detached'
        ? 'it lost its terminal, so end it: ion stop'
        : `wait for it, or end it: kill ${process.pid}`
    return refused(
      'refused',
      `${agent.title} is still running on this task (pid ${process.pid})`,
      `${end}; ${command} --steal ends it and takes over`,
    )
  }
  if (openIn === undefined || !session) return undefined
  return refused(
    'refused',
    `session ${shortId(agent, session)} is open in another ${agent.title} (pid ${openIn})`,
    `close it there; ${command} --steal opens it twice`,
  )
}

/** Who is ended is told before it is done; by then `running` is nobody, and only a dry run sees it. */
function notesOfStolen({ agent }: RunIntent, { running, openIn }: Facts, verdict: Decision): string[] {
  if (running) return [`${agent.title} is running on this task (pid ${running.process.pid}), and is ended first`]
  if (openIn === undefined || verdict.decision !== 'warm') return []
  const name = shortId(agent, verdict.session)
  return [
    `session ${name} is open in another ${agent.title}, too (pid ${openIn}), which Ion did not start and which goes on`,
  ]
}

function decideWarm(
  wish: RunIntent,
  state: TaskState,
  { pendingPrompt: due }: Facts,
  session: LocatedSession,
): Decision {
  const { agent, command, prompt, send } = wish
  const name = `session ${shortId(agent, session)}`
  if (!session.head.resumable) {
    // Killed while it wrote the first lines. Nothing had arrived, so nothing is left behind.
    if (due && !lastArrival(state)) {
      return coldAgain(wish, due, `${name} is not whole: ${whatHappened(due.run)} before the prompt arrived`)
    }
    return refused(
      'refused',
      `${agent.title} cannot resume ${name}: ${agent.resume.note}`,
      `ion show ${session.head.id}; ${command} --new starts another`,
    )
  }
  if (due) {
    const isOther = prompt !== undefined && prompt !== due.text
    if (isOther && send) {
      return refused(
        'refused',
        'a prompt before this one has not arrived yet',
        `${command} sends it; then give this one again`,
      )
    }
    return warm(
      wish,
      session,
      `${name}, ${whatHappened(due.run)} before the prompt arrived`,
      due.text,
      isOther ? [unsent(command)] : [],
    )
  }
  if (prompt !== undefined && send) return warm(wish, session, `${name}, one more prompt`, prompt)
  const last = lastArrival(state)
  const delivered = last ? `, prompt delivered ${timeOf(last.at)}` : ''
  const isNewText = prompt !== undefined && !state.runs.some((run) => run.prompt?.hash === promptIdentity(prompt).hash)
  const notes = isNewText ? [unsent(command)] : []
  if (wish.way === 'headless')
    return { decision: 'none', reason: `${name}${delivered}, nothing to send`, session, notes }
  return warm(wish, session, `${name}${delivered}`, undefined, notes)
}

function decideGone(wish: RunIntent, state: TaskState, facts: Facts, gone: string): Decision {
  const { agent, command } = wish
  const name = `session ${sessionId(agent.id, gone).slice(0, 8)}`
  const sent = lastArrival(state)
  if (!sent)
    return cold(
      wish,
      `${name} is gone from the store of ${agent.title}, and no prompt had arrived`,
      wish.prompt ?? facts.pendingPrompt?.text,
    )
  return refused(
    'refused',
    `${name} is gone from the store of ${agent.title}; its prompt was delivered ${timeOf(sent.at)} and is not sent twice by itself`,
    `${command} --new "…" starts the task again in a new session`,
  )
}

function cold(wish: RunIntent, reason: string, prompt: string | undefined, notes: readonly string[] = []): Decision {
  if (wish.way === 'headless' && prompt === undefined) {
    return refused(
      'usage',
      'there is nothing to send, and without a terminal nobody can type',
      `${wish.command} "what to do"`,
    )
  }
  return { decision: 'cold', reason, cwd: wish.cwd, prompt, notes }
}

function warm(
  wish: RunIntent,
  session: LocatedSession,
  reason: string,
  prompt: string | undefined,
  notes: readonly string[] = [],
): Decision {
  const cwd = session.head.cwd ?? wish.cwd
  const moved = cwd === wish.cwd ? [] : [`runs in ${cwd}, where the session is at home`]
  return { decision: 'warm', reason, cwd, session, prompt, notes: [...notes, ...moved] }
}

function refused(kind: ExitKind, reason: string, hint: string): Decision {
  return { decision: 'refused', kind, reason, hint }
}

function unsent(command: string): string {
  return `the new prompt was not sent: this task has a session already (${command} --send "…" sends it there, --new starts another)`
}

function whatHappened(run: RunState): string {
  if (isOtherBoot(run)) return 'the machine went down'
  if (run.program === undefined) return 'Ion was ended'
  if (run.exit?.code) return `the agent ended with exit code ${run.exit.code}`
  return run.exit && !run.exit.signal ? 'the agent ended' : 'it was killed'
}

function shortId(agent: Agent, { head }: LocatedSession): string {
  return sessionId(agent.id, head.native_id).slice(0, 8)
}

/** As on the user's clock. */
export function timeOf(iso: string): string {
  const date = new Date(iso)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
