import type { SteppedCatalog } from '../catalog/catalog.ts'
import { openCatalog, openMemoryCatalog } from '../catalog/open.ts'
import { type Located, readSession as readLocated } from '../catalog/read-session.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import type { SessionItem } from '../events/item.ts'
import { IonError } from '../platform/error.ts'
import { requireOwnHome } from '../platform/home-owner.ts'
import type { Io } from '../platform/io.ts'
import { finish, paced } from '../platform/pace.ts'
import { ioOf, type Options } from './options.ts'

export interface IndexOptions extends Options {
  /**
   * False: do not use the index in Ion's home and write nothing to disk. Everything is then read from the agents' stores
   * each time; with the index, only what has changed.
   */
  readonly catalog?: boolean
}

/** A session: a row of a list, or as on the command line an id, its prefix, a native id or a title. */
export type SessionReference = string | Pick<SessionRow, 'id' | 'agent' | 'path'>

export function openIndex({ catalog }: IndexOptions, io: Io): SteppedCatalog {
  if (catalog === false) return openMemoryCatalog(io)
  requireOwnHome(io)
  return openCatalog(io)
}

/** Finds a session. Throws `not-found` if there is none, `usage` if several match. */
export function locate(session: SessionReference, options: IndexOptions): Promise<Located> {
  return withSession(session, options, (located) => located)
}

/** The same, and calls `use` while the index is still open. */
export async function withSession<T>(
  session: SessionReference,
  options: IndexOptions,
  use: (located: Located, catalog: SteppedCatalog) => T,
): Promise<T> {
  const catalog = openIndex(options, ioOf(options))
  try {
    return use(await findIn(catalog, session, options), catalog)
  } finally {
    catalog.close()
  }
}

async function findIn(catalog: SteppedCatalog, session: SessionReference, options: IndexOptions): Promise<Located> {
  const { signal } = options
  // A row comes from a list, so the index usually has it.
  const known = typeof session === 'string' ? undefined : ifFound(() => catalog.locate(session))
  if (known) return known
  const isInMemory = options.catalog === false
  await finish(catalog.refreshSteps({ headsOnly: isInMemory }), signal)
  const find = (): Located => {
    if (typeof session === 'string') return catalog.locate(catalog.find(session))
    return ifFound(() => catalog.locate(session)) ?? catalog.locate(catalog.find(`${session.agent}:${session.id}`))
  }
  const found = isInMemory ? find() : ifFound(find)
  if (found) return found
  await finish(catalog.refreshSteps({ extent: 'full' }), signal)
  return find()
}

function ifFound(find: () => Located): Located | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof IonError && error.kind === 'not-found') return undefined
    throw error
  }
}

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
