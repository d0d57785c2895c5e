import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { isEvent, isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { type AgentapiState, type ChatOrigin, chatLog, dropShortened } from './agentapi-state.ts'
import type { Archive } from './archive.ts'

/** Takes a chat into the archive: what is new of it, and nothing that has become less. */
export function importState(
  state: AgentapiState,
  origin: ChatOrigin,
  archive: Archive,
  io: Io,
): { readonly start: SessionStart; readonly added: number } {
  const wished = chatLog(state, origin)
  const known = archivedHead(wished.start.session_id, io)
  // It stays where it is, whatever is said of it now.
  const { start, events } = known ? chatLog(state, { ...origin, cwd: known.cwd }) : wished
  const news = known ? dropShortened(events, eventsOf(known, io)) : events
  return { start, added: archive.import(start, news) }
}

function archivedHead(id: string, io: Io): SessionHead | undefined {
  const reading = readContext(io)
  for (const source of archiveAgent.sources(reading)) {
    if (isProblem(source) || !source.path.includes(id)) continue
    for (const head of archiveAgent.heads(source, reading)) if (!isProblem(head)) return head
  }
  return undefined
}

function* eventsOf(head: SessionHead, io: Io): Generator<IonEvent> {
  for (const item of archiveAgent.read(head, readContext(io))) if (isEvent(item)) yield item.event
}
