import { discardCatalog } from '../../../catalog/connection.ts'
import type { ExitKind } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'

export async function run(_args: unknown, options: Options, context: Context): Promise<ExitKind> {
  if (options.fromScratch) discardCatalog(context.io)
  return withCatalog<ExitKind>(context, (catalog) => {
    const { changed, removed } = refreshed(catalog, context, { extent: 'full', text: true })
    const sessions = catalog.count({ hidden: true, subAgents: true })
    const result = {
      sessions,
      changed,
      removed,
      unindexed: catalog.countUnindexed(),
      troubles: catalog.sourceErrors().length,
    }
    context.out.write(`${options.json ? JSON.stringify(result) : describe(result)}\n`)
    return 'ok'
  })
}

interface Result {
  readonly sessions: number
  readonly changed: number
  readonly removed: number
  readonly unindexed: number
  readonly troubles: number
}

function describe({ sessions, changed, removed, unindexed, troubles }: Result): string {
  return [
    `${pluralize(sessions, 'session')}; ${changed} new or changed in the stores and the archive, ${removed} gone`,
    ...(unindexed ? [`${unindexed} not in the text index yet: another ion is at it`] : []),
    ...(troubles ? [`${pluralize(troubles, 'place')} could not be read: ion doctor`] : []),
  ].join('\n')
}
