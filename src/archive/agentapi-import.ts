import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { isEvent } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import {
  type AgentapiState,
  type ChatOrigin,
  chatLog,
  dropShortened,
  isState,
  messagesOf,
  parseState,
} from './agentapi-state.ts'
import type { Archive } from './archive.ts'
import { archivedHead } from './import-log.ts'

/** The chat in the value of a JSON file; undefined for anything else. Throws for an invalid state, with what is wrong. */
export function toState(value: unknown, path: string): AgentapiState | undefined {
  if (!isState(value)) return undefined
  try {
    const state = parseState(value)
    if (messagesOf(state).length === 0) throw new Error('the chat is empty')
    return state
  } catch (error) {
    throw new IonError('usage', `${path}: ${messageOf(error)}; nothing was imported`, {
      cause: error,
      hint: 'give a state file of agentapi 0.12 or later',
    })
  }
}

/** Imports a chat into the archive: what is new in it, except messages that have become shorter. */
export function importState(
  state: AgentapiState,
  origin: ChatOrigin,
  archive: Archive,
  io: Io,
): { readonly start: SessionStart; readonly added: number } {
  const requested = chatLog(state, origin)
  const known = archivedHead(requested.start.session_id, io)
  // An archived chat keeps its folder, whatever is given now.
  const { start, events } = known ? chatLog(state, { ...origin, cwd: known.cwd }) : requested
  const changed = known ? dropShortened(events, eventsOf(known, io)) : events
  return { start, added: archive.import(start, changed) }
}

function* eventsOf(head: SessionHead, io: Io): Generator<IonEvent> {
  for (const item of archiveAgent.read(head, readContext(io))) if (isEvent(item)) yield item.event
}
