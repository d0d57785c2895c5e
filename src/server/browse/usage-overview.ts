import { openCatalog } from '../../catalog/open.ts'
import type { SessionFilter } from '../../catalog/session-row.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { parseSince } from '../../platform/since.ts'
import { type UsageOverview, usageOverview } from '../../usage/overview.ts'
import { loadPrices } from '../../usage/prices/load-prices.ts'
import { timeRange } from '../../usage/time-range.ts'
import { timeZone } from '../../usage/zone.ts'

/** What the screen asks for; times as on the command line, in the time zone of this machine. */
export interface UsageQuery {
  readonly agents: readonly string[]
  readonly project?: string
  readonly since?: string
  /** `2026-11-18`: the day whose sessions are wanted. */
  readonly day?: string
}

/** Throws `usage` for what is not a day. The filter is that of the other screens. */
export function usageQuery(
  { agents = [], project }: Pick<SessionFilter, 'agents' | 'project'>,
  since: string | undefined,
  day: string | undefined,
  now: Date,
): UsageQuery {
  if (day) {
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new IonError('usage', `"${day}" is not a day`, { hint: '2026-11-18' })
    parseSince(day, now)
  }
  return { agents, ...(project ? { project } : {}), ...(since ? { since } : {}), ...(day ? { day } : {}) }
}

/** Rows of each table; the page shows as many. */
const TOP = 12

export async function overviewOf({ since, day, ...filter }: UsageQuery, io: Io): Promise<UsageOverview> {
  const zone = timeZone(undefined)
  const now = io.now()
  const range = timeRange(zone, since, undefined, now)
  const ofDay = day === undefined ? undefined : timeRange(zone, day, day, now)
  const { book } = await loadPrices(io)
  const catalog = openCatalog(io)
  try {
    return catalog.calls((calls) => usageOverview(calls, { ...filter, ...range, zone, day: ofDay, top: TOP }, book))
  } finally {
    catalog.close()
  }
}
