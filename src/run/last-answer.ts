import { type ExitKind, IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { RunRequest, Voice } from './request.ts'
import { type Found, Store } from './session-lookup.ts'
import { turnState } from './turn-state.ts'

/** Of an agent that talks around it. Returns whether there is one. */
export function printAnswer({ agent, task }: RunRequest, found: Found | undefined, io: Io, voice: Voice): boolean {
  if (!found) return false
  const { finished, answer } = turnState(new Store(agent, io, task.folder).events(found.head))
  if (!finished || answer === null) return false
  voice.print(answer)
  return true
}

/** Without a terminal and with nothing to send, the answer is what there is to give. */
export function tellAnswer(
  { agent, task, command }: RunRequest,
  session: Found,
  reason: string,
  io: Io,
  voice: Voice,
): ExitKind {
  const store = new Store(agent, io, task.folder)
  if (store.isElsewhere(session.head)) {
    voice.say(`nothing started (${reason}); the answer is on the server of ${agent.title}`)
    return 'ok'
  }
  const { finished, answer } = turnState(store.events(session.head))
  if (finished && answer !== null) {
    voice.say(`nothing started (${reason}); this is the last answer`)
    voice.print(answer)
    return 'ok'
  }
  throw new IonError('failed', `the last turn of session ${session.head.id.slice(0, 8)} was cut off`, {
    hint: `${command} --headless --send "what next", or --nudge to have it go on`,
  })
}
