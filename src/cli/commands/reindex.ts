import type { Catalog, SessionTotals } from '../../catalog/catalog.ts'
import { discardCatalog } from '../../catalog/connection.ts'
import { formatCount, pluralize } from '../../platform/format-count.ts'
import { toJsonText } from '../../platform/json-text.ts'
import type { Run } from '../command.ts'
import type { reindex } from '../definitions/machine.ts'
import { countedSessions } from '../totals.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'

export const run: Run<typeof reindex> = async (_args, options, context) => {
  if (options.fromScratch) discardCatalog(context.io)
  const update = (catalog: Catalog): void => {
    const { changed, removed } = refreshed(catalog, context, { extent: 'full' })
    const sessions = catalog.count({ hidden: true, subAgents: true })
    const result = {
      sessions,
      changed,
      removed,
      troubles: catalog.sourceErrors().length,
    }
    context.out.write(`${options.json ? toJsonText(result) : describe(result, catalog.totals())}\n`)
  }
  await withCatalog(context, update, { inMemory: 'never' })
  return 'ok'
}

interface Result {
  readonly sessions: number
  readonly changed: number
  readonly removed: number
  readonly troubles: number
}

function describe({ changed, removed, troubles }: Result, totals: SessionTotals): string {
  const changes = [
    ...(changed ? [`${formatCount(changed)} new or changed`] : []),
    ...(removed ? [`${formatCount(removed)} removed`] : []),
  ].join(', ')
  return [
    `${countedSessions(totals)} in the index; ${changes ? `${changes}, including archived copies` : 'nothing has changed'}`,
    ...(troubles ? [`${pluralize(troubles, 'file or folder', 'files or folders')} could not be read: ion doctor`] : []),
  ].join('\n')
}
