import { loadAgent } from '../agents/load.ts'
import { readMarks } from '../organise/read-marks.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Progress, SessionLookup } from './catalog.ts'
import { withIndex } from './database-list.ts'
import { findStored } from './find-session.ts'
import { copyOf, type LiveOf, listRows, subAgentsOf } from './select.ts'
import type { SessionRow } from './session-row.ts'
import { shortIds } from './short-id.ts'
import { archivedLogOf, locatedOf } from './stored-session.ts'

export interface OpenedSession {
  readonly row: SessionRow
  /** The reference that named it. */
  readonly reference: string
  /** Knows this session only. */
  readonly lookup: SessionLookup
}

/**
 * The session named by the first of these references that names one: the index is brought up to date as for a list, and only
 * the adapters that read the session are loaded. The index is closed before the session is read, which may take hours.
 * Undefined where there is no such session, and for the reasons of `openList`: then `openCatalog` finds it, or says why not.
 */
export function openSession(
  io: Io,
  references: readonly string[],
  onProgress: (progress: Progress) => void,
): Promise<OpenedSession | undefined> {
  return withIndex(io, onProgress, async (database) => {
    const opened = await readIndex(database, io, references)
    database.close()
    return opened
  })
}

async function readIndex(
  database: Database,
  io: Io,
  references: readonly string[],
): Promise<OpenedSession | undefined> {
  const marks = readMarks(io)
  const [found] = references.flatMap((reference) => {
    const stored = attempt(() => findStored(database, reference, marks))
    return stored ? [{ reference, stored }] : []
  })
  if (!found) return undefined
  const { reference, stored } = found
  const copy = copyOf(database, stored.id, stored.agent)
  const stores = new Set([stored.store, stored.agent, ...(copy ? [copy.store] : [])])
  const agents = await Promise.all([...stores].map(loadAgent))
  const liveOf: LiveOf = (agent, nativeIds) => agents.find(({ id }) => id === agent)?.live?.(io, nativeIds)
  const [row] = listRows(database, [stored], marks, liveOf)
  const located = locatedOf(stored, agents)
  const archived = copy && archivedLogOf(copy, agents)
  const subAgents = subAgentsOf(database, stored.id, marks)
  const shortId = shortIds(database, [stored])
  return {
    row: row!,
    reference,
    lookup: {
      locate: () => located,
      locateArchived: () => archived,
      subAgents: () => subAgents,
      shortIds: () => shortId,
    },
  }
}
