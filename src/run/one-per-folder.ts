import { Archive } from '../archive/archive.ts'
import { captureFolder } from '../archive/capture-folder.ts'
import type { SessionHead } from '../events/session.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { StartKind } from './ledger.ts'
import type { RunContext, RunRequest } from './request.ts'
import { refuseBusyFolder, replaced } from './shared-folder.ts'

/** A watch or a capture may be writing to the archive for a while; after that the safety copy is a file. */
const ARCHIVE_WAIT_MS = 15_000

/**
 * For an agent with one session per folder, before it starts in `cwd`: archives the session that is there with its exact
 * copy, also one that Ion did not start. Returns whether there was one. False as well when another process keeps writing to
 * the archive: then the agent's own safety copy has to do.
 */
export function archiveReplaceable({ request, io, reporter }: RunContext, kind: StartKind, cwd: string): boolean {
  refuseBusyFolder(request, cwd, io)
  const sessions = captured(request, cwd, io)
  if (kind === 'cold') for (const head of sessions) reporter.notice(replaced(head, 'is replaced by this start'))
  return sessions.length > 0
}

function captured({ agent }: RunRequest, cwd: string, io: Io): readonly SessionHead[] {
  const archive = openArchive(io)
  if (!archive) return []
  try {
    return captureFolder(archive, agent, cwd, io)
  } catch (error) {
    throw new IonError('failed', `cannot copy the session in ${cwd} before this start: ${messageOf(error)}`, {
      cause: error,
      hint: 'the start could overwrite it, so nothing was started; fix that and try again',
    })
  } finally {
    archive.close()
  }
}

function openArchive(io: Io): Archive | undefined {
  try {
    return new Archive(io, ARCHIVE_WAIT_MS)
  } catch (error) {
    if (error instanceof IonError && error.kind === 'refused') return undefined
    throw error
  }
}
