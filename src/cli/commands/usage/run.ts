import { findAgent } from '../../../agents/find.ts'
import { namedProject } from '../../../config/project-alias.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { loadPrices } from '../../../usage/prices/load-prices.ts'
import { isByTime, type UsageBy, type UsageReport } from '../../../usage/report.ts'
import { timeRange } from '../../../usage/time-range.ts'
import { type UsageQuery, usageReport } from '../../../usage/usage-report.ts'
import { timeZone } from '../../../usage/zone.ts'
import { palette } from '../../colour.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { usage } from '../../definitions/usage.ts'
import { freshnessNotice } from '../../freshness-notice.ts'
import { requireProject } from '../../require-project.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { parseLimit } from '../../validate.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { csvLines, jsonLines } from './data.ts'
import { renderReport } from './render.ts'

type UsageOptions = OptionsOf<typeof usage>

const DEFAULT_LIMIT = 30

export const run: Run<typeof usage> = async ([report = 'daily', id], options, context) => {
  if (report === 'explain') {
    refuseOtherOptions('usage explain', options, ['json', 'timezone'])
    if (id === undefined) {
      throw new IonError('usage', 'no session is given', {
        hint: 'ion usage explain <id>; ion usage sessions lists them',
      })
    }
    return (await import('./explain.ts')).explain(id, timeZone(options.timezone), options.json, context)
  }
  if (id !== undefined) throw new IonError('usage', `"${id}" is one argument too many`, { hint: `ion usage ${report}` })
  if (report === 'statusline') {
    refuseOtherOptions('usage statusline', options, ['timezone'])
    return (await import('./statusline.ts')).statusline(timeZone(options.timezone), context)
  }
  if (report === 'quotas') {
    refuseOtherOptions('usage quotas', options, ['json', 'agent'])
    return (await import('./quotas.ts')).quotas(options.agent, options.json, context)
  }
  return printReport(report, options, context)
}

async function printReport(by: UsageBy, options: UsageOptions, context: Context): Promise<ExitKind> {
  if (options.json && options.csv)
    throw new IonError('usage', '--json and --csv cannot be combined', { hint: 'use one of them' })
  const { io, out, err } = context
  const query = queryOf(by, options, context)
  const limit = parseLimit(options.limit, options.json || options.csv ? 0 : DEFAULT_LIMIT) || undefined
  const { book, problems } = await loadPrices(io)
  return withCatalog<ExitKind>(context, async (catalog): Promise<ExitKind> => {
    const stale = freshnessNotice(refreshed(catalog, context), context)
    const report = catalog.calls((calls) => usageReport(calls, query, book))
    if (report.rows.length === 0) await requireProject(catalog, options.project, ['ion', 'usage', by], context)
    if (options.json) out.write(jsonLines(limited(report, limit)).join(''))
    else if (options.csv) out.write(csvLines(limited(report, limit)).join(''))
    else out.write(`${renderReport(report, limit, catalog, context).join('\n')}\n`)
    for (const problem of problems) err.write(`ion: prices: ${problem}\n`)
    if (stale) err.write(`${palette(err).faint(stale)}\n`)
    return 'ok'
  })
}

function limited(report: UsageReport, limit: number | undefined): UsageReport {
  return limit === undefined ? report : { ...report, rows: lastOrFirst(report, limit) }
}

/** Of times the last, of anything else the first: those matter most. */
export function lastOrFirst({ by, rows }: UsageReport, limit: number | undefined): UsageReport['rows'] {
  if (limit === undefined || rows.length <= limit) return rows
  return isByTime(by) ? rows.slice(-limit) : rows.slice(0, limit)
}

function queryOf(by: UsageBy, options: UsageOptions, { io, config }: Context): UsageQuery {
  const zone = timeZone(options.timezone)
  const now = io.now()
  return {
    by,
    zone,
    now,
    breakdown: options.breakdown,
    agents: options.agent.map((name) => findAgent(name).id),
    ...(options.project === undefined ? {} : { project: namedProject(options.project, config, io) }),
    ...(options.model.length > 0 ? { models: options.model } : {}),
    ...timeRange(zone, options.since, options.until, now),
  }
}
