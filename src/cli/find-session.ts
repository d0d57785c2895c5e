import type { Catalog } from '../catalog/catalog.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { IonError } from '../platform/error.ts'
import type { Context } from './command.ts'
import { refreshed } from './with-catalog.ts'

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
