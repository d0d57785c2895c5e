import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { type ExitKind, IonError } from '../platform/error.ts'
import type { RunContext } from './request.ts'
import { type LocatedSession, SessionLookup } from './session-lookup.ts'

/** For an agent whose output is not only the answer. Returns whether there is an answer. */
export function printAnswer({ request, io, reporter }: RunContext, found: LocatedSession | undefined): boolean {
  if (!found) return false
  const { agent, task } = request
  const { finished, answer } = turnState(new SessionLookup(agent, io, task.folder).events(found.head))
  if (!finished || answer === null) return false
  reporter.output(answer)
  return true
}

/** Headless and with nothing to send, the last answer is the result. */
export function printLastAnswer(context: RunContext, session: LocatedSession, reason: string): ExitKind {
  const { request, io, reporter } = context
  const { agent, task, command } = request
  const store = new SessionLookup(agent, io, task.folder)
  if (store.isRemote(session.head)) {
    reporter.notice(`nothing started (${reason}); the answer is on the server of ${agent.title}`)
    return 'ok'
  }
  const { finished, answer } = turnState(store.events(session.head))
  if (finished && answer !== null) {
    reporter.notice(`nothing started (${reason}); this is the last answer`)
    reporter.output(answer)
    return 'ok'
  }
  throw new IonError('failed', `the last turn of session ${session.head.id.slice(0, 8)} was interrupted`, {
    hint: `${command} --headless --send "what next", or --nudge to ask the agent to continue`,
  })
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
