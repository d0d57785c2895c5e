import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { attempt, type ExitKind, IonError } from '../platform/error.ts'
import type { PromptIdentity } from './ledger.ts'
import { isAmong, isSamePrompt, loadPrompt, NUDGE, promptIdentity } from './prompt.ts'
import type { RunContext, RunRequest } from './request.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable, whenReadable } from './session-lookup.ts'
import { arrivals, runsOfSession, type TaskState } from './task-state.ts'

/** For an agent whose output is not only the answer. Returns whether there is an answer. */
export function printAnswer({ request, io, reporter }: RunContext, found: LocatedSession | undefined): boolean {
  if (!found) return false
  const { agent, task } = request
  const store = new SessionLookup(agent, io, task.folder)
  const turn = readTurn(() => store.events(found.head))
  if (turn instanceof StoreUnreadable) reporter.notice(unreadable(agent, turn))
  if (turn instanceof StoreUnreadable || !turn.finished || turn.answer === null) return false
  reporter.output(turn.answer)
  return true
}

/** The error is returned, not thrown: after a run, Ion has yet to record how the agent ended. */
function readTurn(events: () => Iterable<IonEvent>): TurnState | StoreUnreadable {
  try {
    return whenReadable(() => turnState(events()))
  } catch (error) {
    if (error instanceof StoreUnreadable) return error
    throw error
  }
}

function unreadable({ title }: Agent, { message }: StoreUnreadable): string {
  return `cannot read the sessions of ${title}: ${message}`
}

/** Headless and with nothing to send, the last answer to the prompt is the result. */
export function printLastAnswer(
  context: RunContext,
  session: LocatedSession,
  state: TaskState,
  reason: string,
): ExitKind {
  const { request, io, reporter } = context
  const { agent, task, command } = request
  const store = new SessionLookup(agent, io, task.folder)
  if (store.isRemote(session.head)) {
    reporter.notice(`nothing started (${reason}); the answer is on the server of ${agent.title}`)
    return 'ok'
  }
  const later = laterPrompt(request, state)
  const turn = readTurn(() => {
    const events = store.events(session.head)
    return request.prompt !== undefined && later !== undefined
      ? eventsBetween(events, request.prompt, later, task.folder)
      : events
  })
  if (turn instanceof StoreUnreadable)
    throw new IonError('failed', unreadable(agent, turn), { hint: `${command} again` })
  const { finished, answer } = turn
  if (finished && answer !== null) {
    const which = later === undefined ? 'the last answer' : 'the answer to this prompt, and later prompts followed'
    reporter.notice(`nothing started (${reason}); this is ${which}`)
    reporter.output(answer)
    return 'ok'
  }
  throw new IonError('failed', `the last turn of session ${session.head.id} was interrupted`, {
    hint: `${command} --headless --send "what next", or --nudge to ask the agent to continue`,
  })
}

/** The prompt that Ion sent after this run's: the answers from there on are not the answers to this one. */
function laterPrompt({ prompt, task }: RunRequest, state: TaskState): string | undefined {
  if (prompt === undefined) return undefined
  const sent = arrivals(runsOfSession(state))
  const last = sent.findLastIndex((one) => isAmong(prompt, [one], task.folder))
  const isNudge = ({ hash }: PromptIdentity): boolean => hash === promptIdentity(NUDGE).hash
  const next = last < 0 ? undefined : sent.slice(last + 1).find((one) => !isNudge(one))
  return next && attempt(() => loadPrompt(next, task.folder))
}

/** Up to the message `later`, the first one after the message `prompt`. */
function* eventsBetween(
  events: Iterable<IonEvent>,
  prompt: string,
  later: string,
  folder: string,
): Generator<IonEvent> {
  let hasBegun = false
  for (const event of events) {
    if (event.type === 'user') {
      const text = contentText(event.content)
      if (hasBegun && isSamePrompt(text, later, folder)) return
      hasBegun ||= isSamePrompt(text, prompt, folder)
    }
    yield event
  }
}

/** The end of a session. */
interface TurnState {
  /** Whether the last turn is complete: it ends with an answer. */
  readonly finished: boolean
  /** The agent's last message; null if there is none. */
  readonly answer: string | null
}

/** Reads all events: in most stores the end of a session has no known place. */
function turnState(events: Iterable<IonEvent>): TurnState {
  let finished = false
  let answer: string | null = null
  for (const event of events) {
    if (event.type === 'assistant') {
      const text = contentText(event.content)
      if (text.trim() === '') continue
      finished = true
      answer = text
    } else if (event.type === 'system') {
      // What the agent wrote before is not its answer.
      if (event.subtype === 'interrupted' || event.subtype === 'api_error') finished = false
    } else if (event.type === 'user' || event.type === 'tool_use' || event.type === 'tool_result') {
      finished = false
    } else if (event.type === 'session_end') {
      finished = event.reason === 'completed'
    }
  }
  return { finished, answer }
}
