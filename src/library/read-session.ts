import { readSession as readLocated } from '../catalog/read-session.ts'
import type { SessionItem } from '../events/item.ts'
import { paced } from '../platform/pace.ts'
import { ioOf } from './options.ts'
import { type IndexOptions, locate, type SessionReference } from './session.ts'

export type ReadOptions = IndexOptions

/**
 * The events of a session in order, `session_start` first, and problems where something cannot be read. Memory does not
 * grow with the session. Throws `not-found` if there is no such session, `usage` if several match.
 */
export async function* readSession(
  session: SessionReference,
  options: ReadOptions = {},
): AsyncGenerator<SessionItem, void, undefined> {
  yield* paced(readLocated(await locate(session, options), ioOf(options)), options.signal)
}
