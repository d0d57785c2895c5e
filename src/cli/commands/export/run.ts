import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { withRemote } from '../../remote-sessions.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { startExporter } from './exporter.ts'
import { printPieces } from './print-pieces.ts'
import type { Format } from './session-pieces.ts'
import { writeAll } from './write-all.ts'

export async function run(
  args: readonly (string | readonly string[] | undefined)[],
  options: Options,
  context: Context,
): Promise<ExitKind> {
  const ids = [args[0] ?? []].flat()
  const all = options.all === true
  if (ids.length === 0 && !all) throw new IonError('usage', 'which session?', { hint: 'ion export <id>, or --all' })
  if (ids.length > 0 && all) throw new IonError('usage', 'give ids or --all, not both', { hint: 'ion export --help' })
  const format = (options.format ?? 'md') as Format
  const output = options.output === '-' ? undefined : (options.output as string | undefined)
  const several = all || ids.length > 1
  if (several && output === undefined) {
    throw new IonError('usage', 'several sessions need a folder', { hint: 'ion export … -o <folder>' })
  }
  return withCatalog(context, async (local): Promise<ExitKind> => {
    const catalog = options.remote ? withRemote(local, context) : local
    const rows = all ? everySession(catalog, context) : uniqueRows(ids.map((id) => findFresh(catalog, id, context)))
    const exporter = await startExporter(catalog, context, {
      format,
      progress: output !== undefined || !context.out.isTTY,
      redact: options.redact === true,
      branch: options.branch as 'main' | 'all' | undefined,
      shown: { full: options.full === true, thinking: options.thinking === true, system: options.system === true },
    })
    if (output === undefined) await printPieces(exporter.pieces(rows[0]!), format, context)
    else writeAll(rows, exporter, { output, several, format, force: options.force === true }, context)
    exporter.report()
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
