import { Archive } from '../archive/archive.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { RunReporter, RunRequest } from './request.ts'
import { SessionLookup } from './session-lookup.ts'
import type { PinnedSession } from './task-state.ts'

/** Larger ones would hold up the end of a run; `ion capture` takes them. */
const LARGEST = 256 * 1024 * 1024

/** Brings Ion's own copy of the task's session up to date. Nothing that goes wrong with it is the run's business. */
export function archiveRun(
  { agent, task }: RunRequest,
  session: PinnedSession | undefined,
  io: Io,
  voice: RunReporter,
): void {
  if (!session) return
  try {
    const found = new SessionLookup(agent, io, task.folder).find(session.native_id, session.files)
    if (!found) return
    if (found.head.bytes > LARGEST) {
      voice.notice(`the session is too large to be archived by the way: ion capture ${found.head.id.slice(0, 8)}`)
      return
    }
    const archive = new Archive(io)
    try {
      archive.capture(agent, found.head)
    } finally {
      archive.close()
    }
  } catch (error) {
    // Another process writes the archive now, and the next run takes this one in.
    if (error instanceof IonError && error.kind === 'refused') return
    voice.notice(`the session could not be archived: ${messageOf(error)}`)
  }
}
