import { basename, isAbsolute, join } from 'node:path'
import type { IonEvent } from '../events/schema.ts'
import { needlesOf } from '../native/byte-search/needle.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { isWithin } from '../platform/project.ts'
import type { Catalog } from './catalog.ts'
import { eventsIn, readSession } from './read-session.ts'
import { mayMatch } from './search/may-match.ts'
import type { SessionRow } from './session-row.ts'

/** A session whose text names a file. */
export interface NamingSession {
  readonly row: SessionRow
  readonly events: () => Iterable<IonEvent>
}

/** The sessions, newest first, in which the name of a file occurs. */
export function* sessionsNaming(catalog: Catalog, path: string, io: Io): Generator<NamingSession> {
  const needles = needlesOf(basename(path))
  for (const row of catalog.sessions({ subAgents: true, hidden: true })) {
    const located = catalog.locate(row)
    if (!mayMatch(located, needles, readContext(io))) continue
    yield { row, events: () => eventsIn(readSession(located, io)) }
  }
}

/** Whether a path as an agent wrote it, in its folder, is that file, or a file below that folder. */
export function isAt(written: string, cwd: string | null, file: string): boolean {
  return isWithin(isAbsolute(written) || cwd === null ? written : join(cwd, written), file)
}
