import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import type { ExportFormat } from '../../../export/session.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { withRemote } from '../../remote-sessions.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { exportRows } from './exporter.ts'

export async function run(
  args: readonly (string | readonly string[] | undefined)[],
  options: Options,
  context: Context,
): Promise<ExitKind> {
  const ids = [args[0] ?? []].flat()
  const all = options.all === true
  if (ids.length === 0 && !all) throw new IonError('usage', 'no session given', { hint: 'ion export <id>, or --all' })
  if (ids.length > 0 && all) {
    throw new IonError('usage', '--all cannot be combined with ids', { hint: 'ion export --help' })
  }
  const output = options.output === '-' ? undefined : (options.output as string | undefined)
  const several = all || ids.length > 1
  if (several && output === undefined) {
    throw new IonError('usage', 'several sessions need a folder', { hint: 'ion export … -o <folder>' })
  }
  return withCatalog(context, async (local): Promise<ExitKind> => {
    const catalog = options.remote ? withRemote(local, context) : local
    const rows = all ? everySession(catalog, context) : uniqueRows(ids.map((id) => findFresh(catalog, id, context)))
    const request = {
      ...{ output, several, force: options.force === true, redact: options.redact === true },
      format: (options.format ?? 'md') as ExportFormat,
      ...(options.branch === undefined ? {} : { branch: options.branch as 'main' | 'all' }),
      ...{ full: options.full === true, thinking: options.thinking === true, system: options.system === true },
    }
    await exportRows(rows, catalog, request, context)
    return 'ok'
  })
}

function everySession(catalog: Catalog, context: Context): SessionRow[] {
  refreshed(catalog, context, { extent: 'full' })
  return catalog.sessions({ hidden: true, subAgents: true })
}

function uniqueRows(rows: readonly SessionRow[]): SessionRow[] {
  return [...new Map(rows.map((row) => [`${row.id} ${row.path}`, row])).values()]
}
