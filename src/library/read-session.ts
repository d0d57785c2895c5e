import { openCatalog } from '../catalog/open.ts'
import { type Located, readSession as readLocated } from '../catalog/read-session.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import type { Item } from '../events/item.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { finish, paced } from '../platform/pace.ts'
import { chooseOne } from './choose-one.ts'
import { ioOf, type Options } from './options.ts'
import { findInStores } from './store-rows.ts'

export interface ReadOptions extends Options {
  /** False: looked for in the agents' stores themselves, and nothing is written. */
  readonly catalog?: boolean
}

/** What names a session: a row of a list, or as on the command line an id, its beginning, a native id or a title. */
export type SessionReference = string | Pick<SessionRow, 'id' | 'agent' | 'path'>

/**
 * The events of a session in order, `session_start` first, and problems where something cannot be read. Nothing of it is
 * held in memory. Throws `not-found` where there is no such session, `usage` where several match.
 */
export async function* readSession(
  session: SessionReference,
  options: ReadOptions = {},
): AsyncGenerator<Item, void, undefined> {
  const io = ioOf(options)
  const { signal } = options
  const located = await (options.catalog === false ? inStores : inCatalog)(session, io, signal)
  yield* paced(readLocated(located, io), signal)
}

async function inStores(session: SessionReference, io: Io, signal: AbortSignal | undefined): Promise<Located> {
  const found = await findInStores(io, signal, () => {})
  if (typeof session === 'string') return chooseOne(found, session)
  const same = found.find(({ head }) => head.id === session.id && head.path === session.path)
  return same ?? chooseOne(found, `${session.agent}:${session.id}`)
}

async function inCatalog(session: SessionReference, io: Io, signal: AbortSignal | undefined): Promise<Located> {
  const catalog = openCatalog(io)
  try {
    // A row comes from a list, so the catalogue has it, unless it was moved or deleted since.
    const known = typeof session === 'string' ? undefined : ifFound(() => catalog.locate(session))
    if (known) return known
    const reference = typeof session === 'string' ? session : `${session.agent}:${session.id}`
    const find = (): Located => catalog.locate(catalog.find(reference))
    await finish(catalog.refreshSteps({ gentle: true }), signal)
    const found = ifFound(find)
    if (found) return found
    await finish(catalog.refreshSteps({ extent: 'full', gentle: true }), signal)
    return find()
  } finally {
    catalog.close()
  }
}

function ifFound(find: () => Located): Located | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof IonError && error.kind === 'not-found') return undefined
    throw error
  }
}
