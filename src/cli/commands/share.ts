import { formatOfFile } from '../../export/file-name.ts'
import { shareOptions } from '../../export/session.ts'
import type { Run } from '../command.ts'
import type { share } from '../definitions/sessions.ts'
import { withRemote } from '../remote-sessions.ts'
import { findFresh, withCatalog } from '../with-catalog.ts'
import { exportRows, outputPath } from './export/exporter.ts'

export const run: Run<typeof share> = async ([id], options, context) => {
  const output = outputPath(options)
  const format = options.html || output === undefined ? undefined : formatOfFile(output, ['md', 'html'])
  const isHtml = options.html || format === 'html'
  await withCatalog(context, async (local) => {
    const catalog = options.remote ? withRemote(local, context) : local
    const row = findFresh(catalog, id, context)
    const { full, thinking, check, force, archived } = options
    const shared = shareOptions({ format: isHtml ? 'html' : 'md', full, thinking })
    await exportRows([row], catalog, { ...shared, output, several: false, check, force, archived }, context)
  })
  return 'ok'
}
