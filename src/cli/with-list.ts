import type { Freshness, SessionList } from '../catalog/catalog.ts'
import { type ListOptions, openList } from '../catalog/open-list.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

/**
 * The sessions while `body` runs, up to date. It must not print before it has asked all it needs: if the list file does not have
 * an answer, or the index turns out to be damaged, it runs again. `asked` is what it may ask besides what most lists do.
 */
export async function withList<T>(
  context: Context,
  asked: Pick<ListOptions, 'live' | 'shortIds'>,
  body: (list: SessionList, freshness: Freshness) => T | Promise<T>,
): Promise<T> {
  const progress = progressLine(context)
  let list = await openList(context.io, { ...asked, onProgress: progress.onProgress })
  while (list) {
    progress.clear()
    try {
      return await body(list, list.freshness)
    } catch (error) {
      if (!list.isUnanswered(error)) throw error
    } finally {
      list.close()
    }
    list = await list.instead()
  }
  progress.clear()
  const { refreshed, withCatalog } = await import('./with-catalog.ts')
  return withCatalog(context, (catalog) => body(catalog, refreshed(catalog, context).freshness))
}
