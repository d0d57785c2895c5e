import { type CallFilter, type CallGroup, SLOT_MS } from '../catalog/calls/call-groups.ts'
import type { Calls } from '../catalog/calls/calls.ts'
import { callRates } from './call-rates.ts'
import { grouped } from './grouped.ts'
import type { PriceBook } from './prices/price-book.ts'
import type { UsageReport } from './report.ts'
import { sumsOf, tokenCount } from './sums.ts'
import { factsOf } from './usage-report.ts'
import type { Zone } from './zone.ts'

/** What a page of charts shows of a time range, from one state of the index. */
export interface UsageOverview
  extends Pick<UsageReport, 'timezone' | 'since' | 'until' | 'total' | 'unpriced' | 'repeated' | 'prices'> {
  /** In their order; a day without calls is left out. */
  readonly days: readonly { readonly day: string; readonly parts: readonly UsagePart[] }[]
  readonly models: TopRows
  readonly agents: TopRows
  readonly projects: TopRows
  /** Of the chosen day only, if there is one. */
  readonly sessions: TopRows
}

export interface UsedAmount {
  readonly tokens: number
  /** In micro-dollars; null if nothing of it has a price. */
  readonly cost: number | null
}

/** What one agent used of one model. */
export interface UsagePart extends UsedAmount {
  readonly agent: string
  readonly model: string | null
}

/** The rows with the highest cost and those with the most tokens, in no order: there can be a hundred thousand sessions. */
export interface TopRows {
  readonly rows: readonly TopRow[]
  /** How many rows there are in all. */
  readonly count: number
}

export interface TopRow extends UsedAmount {
  /** The id of the session, the path of the project, … Empty: what has none. */
  readonly key: string
  readonly unpriced_tokens: number
  /** Of sessions. */
  readonly title?: string | null
}

export interface OverviewQuery extends Pick<CallFilter, 'agents' | 'project' | 'since' | 'until'> {
  readonly zone: Zone
  /** The sessions of this day only. */
  readonly day: Pick<CallFilter, 'since' | 'until'> | undefined
  /** Rows by cost, and by tokens. */
  readonly top: number
}

export function usageOverview(calls: Calls, query: OverviewQuery, book: PriceBook): UsageOverview {
  const { zone, day, top: limit, agents, ...others } = query
  const filter = { ...others, ...(agents?.length ? { agents } : {}) }
  const rates = callRates(book, calls.models())
  const groups = calls.groups(filter, { slot: true }, rates)
  const ofSessions = calls.groups(filter, { session: true, project: true }, rates)
  const ofDay = day ? calls.groups({ ...filter, ...day }, { session: true }, rates) : ofSessions
  const top = (of: readonly CallGroup[], key: (group: CallGroup) => string): TopRows => topRows(of, key, limit)
  const sessions = top(ofDay, ({ session }) => session!)
  return {
    ...factsOf(calls, groups, filter, zone, book),
    days: daysOf(groups, zone),
    models: top(groups, ({ model }) => model ?? ''),
    agents: top(groups, ({ agent }) => agent),
    projects: top(ofSessions, ({ project }) => project ?? ''),
    sessions: { ...sessions, rows: sessions.rows.map((row) => ({ ...row, title: calls.describe(row.key).title })) },
  }
}

function daysOf(groups: readonly CallGroup[], zone: Zone): UsageOverview['days'] {
  const bySlot = grouped(groups, ({ slot }) => slot!)
  const byDay = grouped([...bySlot], ([slot]) => zone.dayOf(slot * SLOT_MS))
  return [...byDay]
    .map(([day, slots]) => {
      const ofDay = slots.flatMap(([, ofSlot]) => ofSlot)
      const byAgent = grouped(ofDay, ({ agent, model }) => JSON.stringify([agent, model]))
      return {
        day,
        parts: [...byAgent.values()].map((part) => ({ agent: part[0]!.agent, model: part[0]!.model, ...usedOf(part) })),
      }
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

function topRows(groups: readonly CallGroup[], key: (group: CallGroup) => string, limit: number): TopRows {
  const rows = [...grouped(groups, key)].map(([key, ofKey]): TopRow => ({ key, ...usedOf(ofKey) }))
  const first = (by: (row: TopRow) => number): readonly TopRow[] =>
    [...rows].sort((a, b) => by(b) - by(a) || b.tokens - a.tokens || (a.key < b.key ? -1 : 1)).slice(0, limit)
  const shown = new Set([...first(({ cost }) => cost ?? -1), ...first(({ tokens }) => tokens)])
  return { rows: [...shown], count: rows.length }
}

function usedOf(groups: readonly CallGroup[]): UsedAmount & Pick<TopRow, 'unpriced_tokens'> {
  const sums = sumsOf(groups)
  return { tokens: tokenCount(sums), cost: sums.cost, unpriced_tokens: sums.unpriced_tokens }
}
