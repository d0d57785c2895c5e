import { join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectHash } from '../platform/project.ts'

/** Where Ion keeps its own copies of sessions. */
export function archiveFolder(io: Io): string {
  return join(ionHome(io), 'sessions')
}

/** Where the one process that writes into the archive has its lease. */
export function writerFolder(io: Io): string {
  return join(archiveFolder(io), '.writer')
}

/** The log of one session. A session without a project stands in a folder of its own. */
export function archiveFile(id: string, project: string | null, io: Io): string {
  // It becomes a path: an id of a file that was imported may be anything.
  if (!isUuid(id)) throw new Error(`"${id}" is not the id of a session`)
  return join(archiveFolder(io), project === null ? 'no-project' : projectHash(project), `${id.toLowerCase()}.jsonl`)
}

/** One line for each time a session was archived. */
export function indexFile(io: Io): string {
  return join(ionHome(io), 'index.jsonl')
}
