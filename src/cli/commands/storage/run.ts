import { findAgent } from '../../../agents/find.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { formatCount } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import type { StorageLine } from '../../../storage/lines.ts'
import { type StorageReport, storageReport } from '../../../storage/report.ts'
import { palette } from '../../colour.ts'
import type { Run } from '../../command.ts'
import type { storage } from '../../definitions/machine.ts'
import { freshnessNotice } from '../../freshness-notice.ts'
import { progressLine } from '../../progress.ts'
import { parseLimit } from '../../validate.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { renderReport } from './render.ts'

const DEFAULT_LIMIT = 10

export const run: Run<typeof storage> = async (_args, options, context) => {
  const chosen = options.agent.map((name) => findAgent(name).id)
  const limit = parseLimit(options.limit, DEFAULT_LIMIT)
  return withCatalog<ExitKind>(context, (catalog) => {
    const { io, out, err } = context
    const stale = freshnessNotice(refreshed(catalog, context), context)
    const progress = progressLine(context)
    const report = storageReport(catalog, chosen, io, (title, files) =>
      progress.onProgress({ phase: `measuring ${title}: ${formatCount(files)} files`, done: files, total: 0 }),
    )
    progress.clear()
    if (options.json) for (const line of linesOf(report, limit)) out.write(`${toJsonText(line)}\n`)
    else out.write(`${renderReport(report, limit, catalog, context).join('\n')}\n`)
    if (stale) err.write(`${palette(err).faint(stale)}\n`)
    return 'ok'
  })
}

function linesOf(report: StorageReport, limit: number | undefined): StorageLine[] {
  return [
    ...report.agents,
    ...report.projects.slice(0, limit),
    ...report.sessions.slice(0, limit),
    ...report.deletions.slice(0, limit),
    ...report.disks,
    ...report.ion,
  ]
}
