import { type ExitKind, IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { RunReporter, RunRequest } from './request.ts'
import { type LocatedSession, SessionLookup } from './session-lookup.ts'
import { turnState } from './turn-state.ts'

/** Of an agent that talks around it. Returns whether there is one. */
export function printAnswer(
  { agent, task }: RunRequest,
  found: LocatedSession | undefined,
  io: Io,
  voice: RunReporter,
): boolean {
  if (!found) return false
  const { finished, answer } = turnState(new SessionLookup(agent, io, task.folder).events(found.head))
  if (!finished || answer === null) return false
  voice.output(answer)
  return true
}

/** Without a terminal and with nothing to send, the answer is what there is to give. */
export function tellAnswer(
  { agent, task, command }: RunRequest,
  session: LocatedSession,
  reason: string,
  io: Io,
  voice: RunReporter,
): ExitKind {
  const store = new SessionLookup(agent, io, task.folder)
  if (store.isElsewhere(session.head)) {
    voice.notice(`nothing started (${reason}); the answer is on the server of ${agent.title}`)
    return 'ok'
  }
  const { finished, answer } = turnState(store.events(session.head))
  if (finished && answer !== null) {
    voice.notice(`nothing started (${reason}); this is the last answer`)
    voice.output(answer)
    return 'ok'
  }
  throw new IonError('failed', `the last turn of session ${session.head.id.slice(0, 8)} was cut off`, {
    hint: `${command} --headless --send "what next", or --nudge to have it go on`,
  })
}
