import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { formatOfFile } from '../../../export/file-name.ts'
import { exportFormats } from '../../../export/session.ts'
import { IonError } from '../../../platform/error.ts'
import type { Context, Run } from '../../command.ts'
import type { exportSessions } from '../../definitions/sessions.ts'
import { withRemote } from '../../remote-sessions.ts'
import { findFresh, refreshed, withCatalog } from '../../with-catalog.ts'
import { exportRows, outputPath } from './exporter.ts'

export const run: Run<typeof exportSessions> = async ([ids], options, context) => {
  const { all, branch, full, thinking, system, redact, force, archived } = options
  if (ids.length === 0 && !all) throw new IonError('usage', 'no session given', { hint: 'ion export <id>, or --all' })
  if (ids.length > 0 && all) {
    throw new IonError('usage', '--all cannot be combined with ids', { hint: 'ion export --help' })
  }
  const output = outputPath(options)
  const several = all || ids.length > 1
  if (several && output === undefined) {
    throw new IonError('usage', 'several sessions need a folder', { hint: 'ion export … -o <folder>' })
  }
  const format =
    options.format ?? (several || output === undefined ? undefined : formatOfFile(output, exportFormats)) ?? 'md'
  await withCatalog(context, async (local) => {
    const catalog = options.remote ? withRemote(local, context) : local
    const rows = all ? everySession(catalog, context) : uniqueRows(ids.map((id) => findFresh(catalog, id, context)))
    const shown = { format, full, thinking, system, ...(branch === undefined ? {} : { branch }) }
    await exportRows(rows, catalog, { ...shown, output, several, redact, force, archived }, context)
  })
  return 'ok'
}

function everySession(catalog: Catalog, context: Context): SessionRow[] {
  refreshed(catalog, context, { extent: 'full' })
  return catalog.sessions({ hidden: true, subAgents: true })
}

function uniqueRows(rows: readonly SessionRow[]): SessionRow[] {
  return [...new Map(rows.map((row) => [`${row.id} ${row.path}`, row])).values()]
}
