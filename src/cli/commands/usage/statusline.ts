import { readFileSync } from 'node:fs'
import { agents } from '../../../agents/_registry.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { sessionId } from '../../../events/id.ts'
import { asObject } from '../../../native/narrow.ts'
import { attempt, type ExitKind, IonError } from '../../../platform/error.ts'
import { loadPrices } from '../../../usage/prices/load-prices.ts'
import { keepQuotas } from '../../../usage/quotas.ts'
import type { UsageReport } from '../../../usage/report.ts'
import { usageReport } from '../../../usage/usage-report.ts'
import type { Zone } from '../../../usage/zone.ts'
import type { Context } from '../../command.ts'
import { withDocPaths } from '../../doc-paths.ts'
import { oneLine } from '../../text.ts'
import { withCatalog } from '../../with-catalog.ts'
import { costOf, dollars } from './money.ts'

/**
 * `ion usage statusline`: one line with the cost of the session, of today and of the current block, and the limits that the agent
 * passed, which are kept for `ion usage quotas`. An agent calls it after every answer.
 */
export async function statusline(zone: Zone, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const input = asObject(
    attempt(() => (process.stdin.isTTY ? undefined : JSON.parse(readFileSync(0, 'utf8'))) as unknown),
  )
  if (!input)
    throw new IonError('usage', 'no JSON object on stdin', {
      hint: withDocPaths('an agent runs this as its statusline command: docs/usage.md'),
    })
  const agent = agents.find((one) => one.statusline?.(input) !== undefined)
  const status = agent?.statusline?.(input)
  if (!agent || !status)
    throw new IonError('usage', 'the JSON on stdin is not that of a statusline hook', {
      hint: withDocPaths('docs/usage.md'),
    })
  attempt(() => keepQuotas(io, agent.id, status.quotas))
  const { book } = await loadPrices(io)
  const now = io.now()
  const session = sessionId(agent.id, status.nativeId)
  return withCatalog<ExitKind>(context, (catalog) => {
    refreshQuietly(catalog)
    const ask = (query: Partial<Parameters<typeof usageReport>[1]>): UsageReport =>
      catalog.calls((calls) => usageReport(calls, { by: 'agents', zone, now, ...query }, book))
    const today = ask({ since: zone.startOf(zone.dayOf(now.getTime())) })
    const block = ask({ by: 'blocks', agents: [agent.id], since: new Date(now.getTime() - 10 * 3_600_000) }).rows.find(
      (row) => row.block?.is_active,
    )
    const own = ask({ session }).total
    const parts = [
      status.model,
      own.cost !== null
        ? `${costOf(own)} session`
        : status.cost !== null
          ? `${dollars(status.cost)} session by ${agent.title}`
          : undefined,
      today.total.cost === null ? undefined : `${costOf(today.total)} today`,
      block?.cost
        ? `${costOf(block)} block, ${minutesText(Date.parse(block.block!.ends) - now.getTime())} left`
        : undefined,
      ...status.quotas.map(({ label, used_percent }) => `${Math.round(used_percent)}% of ${label}`),
    ]
    out.write(`${oneLine(parts.flatMap((part) => part ?? []).join(' · '))}\n`)
    return 'ok'
  })
}

/** A status line without the newest call is better than none. */
function refreshQuietly(catalog: Catalog): void {
  attempt(() => catalog.refresh())
}

function minutesText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
