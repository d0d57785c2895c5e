import { type CallDimensions, type CallFilter, type CallGroup, SLOT_MS } from '../catalog/calls/call-groups.ts'
import type { Calls } from '../catalog/calls/calls.ts'
import { blockOf, blocksOf } from './blocks.ts'
import { callRates } from './call-rates.ts'
import { grouped } from './grouped.ts'
import { type PriceBook, pricesOf } from './prices/price-book.ts'
import { digestOf } from './prices/price-table.ts'
import { isByTime, type UsageBy, type UsageReport, type UsageRow, type UsageSums } from './report.ts'
import { sumsOf, tokenCount } from './sums.ts'
import { weekOf, type Zone } from './zone.ts'

export interface UsageQuery {
  readonly by: UsageBy
  readonly zone: Zone
  readonly since?: Date
  readonly until?: Date
  readonly agents?: readonly string[]
  readonly project?: string
  /** Parts of names of models. */
  readonly models?: readonly string[]
  /** Only of this session, by its id. */
  readonly session?: string
  readonly breakdown?: boolean
  readonly now: Date
}

/** What model calls used and cost, from the index alone: no session is read. */
export function usageReport(calls: Calls, query: UsageQuery, book: PriceBook): UsageReport {
  const { by, since, until, agents, project, session } = query
  const names = calls.models()
  const models =
    query.models?.length &&
    names.filter((name) => query.models!.some((part) => name.toLowerCase().includes(part.toLowerCase())))
  const filter = {
    ...(agents?.length ? { agents } : {}),
    ...(project === undefined ? {} : { project }),
    ...(models ? { models } : {}),
    ...(session === undefined ? {} : { session }),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  }
  const groups = calls.groups(filter, dimensions[by], callRates(book, names))
  const rows = by === 'blocks' ? blockRows(groups, query) : rowsOf(groups, keyOf(by, query.zone), query)
  return {
    by,
    ...factsOf(calls, groups, filter, query.zone, book),
    rows: by === 'sessions' ? rows.map((row) => ({ ...row, ...calls.describe(row.key) })) : rows,
  }
}

/** What a report says beside its rows. */
export function factsOf(
  calls: Calls,
  groups: readonly CallGroup[],
  filter: CallFilter,
  zone: Zone,
  book: PriceBook,
): Omit<UsageReport, 'by' | 'rows'> {
  const { source, date, rows: priced } = book.table
  return {
    timezone: zone.name,
    since: filter.since?.toISOString() ?? null,
    until: filter.until?.toISOString() ?? null,
    total: sumsOf(groups),
    unpriced: unpricedModels(groups, book),
    repeated: Object.values(filter).every((value) => value === undefined) ? calls.repeated() : null,
    prices: { source, date, digest: digestOf(priced) },
  }
}

const dimensions: Readonly<Record<UsageBy, CallDimensions>> = {
  daily: { slot: true },
  weekly: { slot: true },
  monthly: { slot: true },
  blocks: { slot: true },
  sessions: { session: true },
  models: {},
  projects: { project: true },
  agents: {},
}

/** What has neither a model nor a project is in one row, whose key is empty. */
function keyOf(by: Exclude<UsageBy, 'blocks'>, zone: Zone): (group: CallGroup) => string {
  const days = new Map<number, string>()
  const dayOf = ({ slot }: CallGroup): string => {
    const known = days.get(slot!)
    if (known !== undefined) return known
    const day = zone.dayOf(slot! * SLOT_MS)
    days.set(slot!, day)
    return day
  }
  switch (by) {
    case 'daily':
      return dayOf
    case 'weekly':
      return (group) => weekOf(dayOf(group))
    case 'monthly':
      return (group) => dayOf(group).slice(0, 7)
    case 'sessions':
      return ({ session }) => session!
    case 'models':
      return ({ model }) => model ?? ''
    case 'projects':
      return ({ project }) => project ?? ''
    case 'agents':
      return ({ agent }) => agent
  }
}

/** Times in their order, the newest last as in a terminal; anything else by its cost, then its tokens. */
function rowsOf(groups: readonly CallGroup[], key: (group: CallGroup) => string, query: UsageQuery): UsageRow[] {
  const byKey = grouped(groups, key)
  const rows = [...byKey].map(([key, ofKey]) => rowOf(key, ofKey, query))
  if (isByTime(query.by)) return rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  return rows.sort((a, b) => mostExpensive(a, b) || (a.key < b.key ? -1 : 1))
}

function blockRows(groups: readonly CallGroup[], query: UsageQuery): UsageRow[] {
  return blocksOf(groups).map((block) => {
    const row = rowOf(new Date(block.start).toISOString(), block.groups, query)
    return { ...row, block: blockOf(block, row, query.now) }
  })
}

function rowOf(key: string, groups: readonly CallGroup[], { breakdown }: UsageQuery): UsageRow {
  const models = [...new Set(groups.flatMap(({ model }) => model ?? []))].sort()
  return { key, models, ...callersOf(groups), ...sumsOf(groups), ...(breakdown ? { breakdown: byModel(groups) } : {}) }
}

/** Which agents called, and when first and last. */
function callersOf(groups: readonly CallGroup[]): Pick<UsageRow, 'agents' | 'first' | 'last'> {
  const first = groups.reduce((first, group) => Math.min(first, group.first), Number.POSITIVE_INFINITY)
  const last = groups.reduce((last, group) => Math.max(last, group.last), 0)
  const agents = [...new Set(groups.map(({ agent }) => agent))].sort()
  return { agents, first: new Date(first).toISOString(), last: new Date(last).toISOString() }
}

function byModel(groups: readonly CallGroup[]): NonNullable<UsageRow['breakdown']> {
  return [...grouped(groups, ({ model }) => model)]
    .map(([model, ofModel]) => ({ model, ...callersOf(ofModel), ...sumsOf(ofModel) }))
    .sort(mostExpensive)
}

/** By cost, then by tokens. */
function mostExpensive(a: UsageSums, b: UsageSums): number {
  return (b.cost ?? -1) - (a.cost ?? -1) || tokenCount(b) - tokenCount(a)
}

function unpricedModels(groups: readonly CallGroup[], book: PriceBook): UsageReport['unpriced'] {
  const unpriced = groups.filter(({ unpriced_tokens, unpriced_calls }) => unpriced_tokens > 0 || unpriced_calls > 0)
  return [...grouped(unpriced, ({ model }) => model)]
    .map(([model, ofModel]) => {
      const { unpriced_calls: calls, unpriced_tokens: tokens } = sumsOf(ofModel)
      return { model, calls, tokens, has_rates: model !== null && pricesOf(book, model).length > 0 }
    })
    .sort((a, b) => b.tokens - a.tokens)
}
