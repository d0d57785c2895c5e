import type { Catalog, RefreshOptions, RefreshReport, SteppedCatalog } from '../catalog/catalog.ts'
import { openCatalog } from '../catalog/open.ts'
import type { InMemory } from '../catalog/self-healing-connection.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { IonError } from '../platform/error.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

/** Opens the index while `body` runs; its notices go to stderr. */
export async function withCatalog<T>(
  context: Context,
  body: (catalog: SteppedCatalog) => T | Promise<T>,
  { inMemory }: { readonly inMemory?: InMemory } = {},
): Promise<T> {
  const { io, err } = context
  const catalog = openCatalog(io, (line) => err.write(`${palette(err).faint(`ion: ${plain(line)}`)}\n`), inMemory)
  try {
    return await body(catalog)
  } finally {
    catalog.close()
  }
}

/** Updates the index, with a progress line if that takes long. */
export function refreshed(catalog: Catalog, context: Context, options: RefreshOptions = {}): RefreshReport {
  const progress = progressLine(context)
  try {
    return catalog.refresh({ ...options, onProgress: progress.onProgress })
  } finally {
    progress.clear()
  }
}

/** The session that `reference` names. If it is not in the index, the index is fully updated before giving up: it may be new. */
export function findFresh(catalog: Catalog, reference: string, context: Context): SessionRow {
  refreshed(catalog, context)
  try {
    return catalog.find(reference)
  } catch (error) {
    if (!(error instanceof IonError) || error.kind !== 'not-found') throw error
    refreshed(catalog, context, { extent: 'full' })
    return catalog.find(reference)
  }
}
