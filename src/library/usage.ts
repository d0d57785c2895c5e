import { finish } from '../platform/pace.ts'
import { type Explanation, explainSession } from '../usage/explain.ts'
import { loadPrices } from '../usage/prices/load-prices.ts'
import type { UsageBy, UsageReport } from '../usage/report.ts'
import { timeRange } from '../usage/time-range.ts'
import { usageReport } from '../usage/usage-report.ts'
import { timeZone } from '../usage/zone.ts'
import { type FilterOptions, filterOf, ioOf } from './options.ts'
import { type IndexOptions, locate, openIndex, type SessionReference } from './session.ts'

export interface UsageOptions extends Omit<FilterOptions, 'limit' | 'since'>, IndexOptions {
  /** What a row is; `daily` by default. */
  readonly by?: UsageBy
  /** As on the command line: `7d`, `today`, `2026-11-01`. */
  readonly since?: string
  /** Likewise; a day is included. */
  readonly until?: string
  /** Parts of names of models. */
  readonly models?: readonly string[]
  /** The id of a session. */
  readonly session?: string
  /** `Europe/Berlin`; by default that of this machine. */
  readonly timezone?: string
  /** Each row also by model. */
  readonly breakdown?: boolean
}

/** Tokens and costs of model calls, each of which is counted once. The list of sessions is updated first. */
export async function usage(options: UsageOptions = {}): Promise<UsageReport> {
  const io = ioOf(options)
  const { by = 'daily', models, session, breakdown = false, signal } = options
  const zone = timeZone(options.timezone)
  const now = io.now()
  const { since: _since, ...rest } = options
  const { agents, project } = filterOf(rest, io)
  const range = timeRange(zone, options.since, options.until, now)
  const query = {
    ...{ by, zone, now, breakdown, ...range },
    ...(agents ? { agents } : {}),
    ...(project === undefined ? {} : { project }),
    ...(models ? { models } : {}),
    ...(session === undefined ? {} : { session }),
  }
  const { book } = await loadPrices(io)
  const catalog = openIndex(options, io)
  try {
    await finish(catalog.refreshSteps(), signal)
    return catalog.calls((calls) => usageReport(calls, query, book))
  } finally {
    catalog.close()
  }
}

/** Each model call of a session with its cost and where it counts, and each record with tokens that is not counted. */
export async function explainUsage(session: SessionReference, options: IndexOptions = {}): Promise<Explanation> {
  const io = ioOf(options)
  const located = await locate(session, options)
  const { book } = await loadPrices(io)
  const catalog = openIndex(options, io)
  try {
    await finish(catalog.refreshSteps(), options.signal)
    return catalog.calls((calls) => explainSession(located, calls.countedIn, book, io))
  } finally {
    catalog.close()
  }
}
