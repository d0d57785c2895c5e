import { Archive } from '../archive/archive.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { RunContext } from './request.ts'
import { SessionLookup } from './session-lookup.ts'
import type { PinnedSession } from './task-state.ts'

/** Larger sessions would delay the end of a run; `ion capture` archives them. */
const MAX_BYTES = 256 * 1024 * 1024

/** Updates the archived copy of the task's session. A failure here does not fail the run. */
export function archiveRun({ request, io, reporter }: RunContext, session: PinnedSession | undefined): void {
  if (!session) return
  const { agent, task } = request
  try {
    const found = new SessionLookup(agent, io, task.folder).find(session.native_id, session.files)
    if (!found) return
    if (found.head.bytes > MAX_BYTES) {
      reporter.notice(`the session is too large to archive after a run: ion capture ${found.head.id}`)
      return
    }
    const archive = new Archive(io)
    try {
      archive.capture(agent, found.head)
    } finally {
      archive.close()
    }
  } catch (error) {
    // Another process is writing the archive; the next run archives this session.
    if (error instanceof IonError && error.kind === 'refused') return
    reporter.notice(`the session could not be archived: ${messageOf(error)}`)
  }
}
