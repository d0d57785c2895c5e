import archiveAgent from '../agents/ion/index.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { sessionId } from '../events/id.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { hash53 } from '../platform/hash.ts'
import type { Io } from '../platform/io.ts'
import type { Archive } from './archive.ts'
import type { CheckedLog } from './checked-log.ts'

/** Why an imported log may not be added to the archived session with its id. */
export interface Conflict {
  /** Its events have another content than the archived ones; or it is a session of its own that has the same id by chance. */
  readonly kind: 'rewrites' | 'unrelated'
  /** The first event that differs. */
  readonly event: string
  /** Distinguishes it from other versions of that event. */
  readonly print: string
}

export interface Imported {
  readonly start: SessionStart
  readonly added: number
  /** The line in the middle of which the file ends: it was not imported. */
  readonly truncated?: CheckedLog['truncated']
  /** The session that has the log's id; what was imported is kept under another one. */
  readonly conflict?: Conflict & { readonly id: string }
}

/**
 * Imports a log into the archive. Where the session with its id is known, the log may only add to it. One that changes events
 * is kept as a fork, and one that has nothing in common with it, as with agents that number their sessions, as another session.
 * Their ids follow from the first difference, so that the same log, or a longer one, gets the same id again.
 */
export function importLog(log: CheckedLog, archive: Archive): Imported {
  let { start } = log
  let first: Conflict | undefined
  for (;;) {
    const conflict = archive.conflictWith(start, log.events())
    if (!conflict) break
    first ??= conflict
    start = apart(log.start, start, conflict)
  }
  const added = archive.import(start, startingWith(start, log.events()))
  const truncated = log.truncated ? { truncated: log.truncated } : {}
  return { start, added, ...truncated, ...(first ? { conflict: { ...first, id: log.start.session_id } } : {}) }
}

function apart(original: SessionStart, start: SessionStart, { kind, event, print }: Conflict): SessionStart {
  const native_id = `${start.native_id}~${hash53(`${event} ${print}`).toString(36)}`
  const fork = kind === 'rewrites' ? { forked_from: original.session_id } : {}
  return { ...start, session_id: sessionId(start.agent, native_id), native_id, ...fork }
}

function* startingWith(start: SessionStart, events: Iterable<IonEvent>): Generator<IonEvent> {
  for (const event of events) yield event.type === 'session_start' ? start : event
}

/** The archived log with that id, whatever its agent and project are. */
export function archivedHead(id: string, io: Io): SessionHead | undefined {
  const reading = readContext(io)
  for (const source of archiveAgent.sources(reading)) {
    if (isProblem(source) || !source.path.includes(id)) continue
    for (const head of archiveAgent.heads(source, reading)) if (!isProblem(head)) return head
  }
  return undefined
}
