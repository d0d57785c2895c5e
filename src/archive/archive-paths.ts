import { join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { projectHash } from '../platform/project-hash.ts'

/** Where Ion keeps its own copies of sessions. */
export function archiveFolder(io: Io): string {
  return join(ionHome(io), 'sessions')
}

/** Holds the lease of the process that writes to the archive. */
export function writerFolder(io: Io): string {
  return join(archiveFolder(io), '.writer')
}

/** The log of one session. Sessions without a project share a folder. */
export function archiveFile(id: string, project: string | null, io: Io): string {
  // It becomes a path, and the id in an imported file may be anything.
  if (!isUuid(id)) throw new Error(`"${id}" is not the id of a session`)
  return join(archiveFolder(io), project === null ? 'no-project' : projectHash(project), `${id.toLowerCase()}.jsonl`)
}

/** See `ArchiveIndex`. */
export function indexFile(io: Io): string {
  return join(ionHome(io), 'index.jsonl')
}
