import { type CallFilter, type CallGroup, SLOT_MS } from '../catalog/calls/call-groups.ts'
import type { Calls } from '../catalog/calls/calls.ts'
import { callRates } from './call-rates.ts'
import { grouped } from './grouped.ts'
import type { PriceBook } from './prices/price-book.ts'
import type { UsageReport } from './report.ts'
import { sumsOf, tokenCount } from './sums.ts'
import { factsOf } from './usage-report.ts'
import type { Zone } from './zone.ts'

/** Everything that a page of charts shows of a time, from the same state of the index. */
export interface UsageOverview
  extends Pick<UsageReport, 'timezone' | 'since' | 'until' | 'total' | 'unpriced' | 'repeated' | 'prices'> {
  /** In their order; a day without calls is left out. */
  readonly days: readonly { readonly day: string; readonly parts: readonly UsagePart[] }[]
  readonly models: TopUsers
  readonly agents: TopUsers
  readonly projects: TopUsers
  /** Of the chosen day only, if there is one. */
  readonly sessions: TopUsers
}

export interface Used {
  readonly tokens: number
  /** In micro-dollars; null if nothing of it has a price. */
  readonly cost: number | null
}

/** What one agent used of one model. */
export interface UsagePart extends Used {
  readonly agent: string
  readonly model: string | null
}

/** Those that used most, by cost or by tokens, in no order: there can be a hundred thousand sessions. */
export interface TopUsers {
  readonly rows: readonly TopUser[]
  /** How many there are in all. */
  readonly count: number
}

export interface TopUser extends Used {
  /** The id of the session, the path of the project, … Empty: what has none. */
  readonly key: string
  readonly unpriced_tokens: number
  /** Of sessions. */
  readonly title?: string | null
}

export interface OverviewQuery extends Pick<CallFilter, 'agents' | 'project' | 'since' | 'until'> {
  readonly zone: Zone
  /** The time that sessions are shown of; by default all of it. */
  readonly day: Pick<CallFilter, 'since' | 'until'> | undefined
  /** So many of each are wanted. */
  readonly top: number
}

export function usageOverview(calls: Calls, query: OverviewQuery, book: PriceBook): UsageOverview {
  const { zone, day, top, ...filter } = query
  const rates = callRates(book, calls.models())
  const groups = calls.groups(filter, { slot: true }, rates)
  const ofSessions = calls.groups(filter, { session: true, project: true }, rates)
  const ofDay = day ? calls.groups({ ...filter, ...day }, { session: true }, rates) : ofSessions
  const users = (of: readonly CallGroup[], key: (group: CallGroup) => string): TopUsers => topUsers(of, key, top)
  const sessions = users(ofDay, ({ session }) => session!)
  return {
    ...factsOf(calls, groups, { zone, since: filter.since, until: filter.until }, book),
    days: daysOf(groups, zone),
    models: users(groups, ({ model }) => model ?? ''),
    agents: users(groups, ({ agent }) => agent),
    projects: users(ofSessions, ({ project }) => project ?? ''),
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

function topUsers(groups: readonly CallGroup[], key: (group: CallGroup) => string, top: number): TopUsers {
  const rows = [...grouped(groups, key)].map(([key, ofKey]): TopUser => ({ key, ...usedOf(ofKey) }))
  const first = (by: (row: TopUser) => number): readonly TopUser[] =>
    [...rows].sort((a, b) => by(b) - by(a) || b.tokens - a.tokens || (a.key < b.key ? -1 : 1)).slice(0, top)
  const shown = new Set([...first(({ cost }) => cost ?? -1), ...first(({ tokens }) => tokens)])
  return { rows: [...shown], count: rows.length }
}

function usedOf(groups: readonly CallGroup[]): Used & Pick<TopUser, 'unpriced_tokens'> {
  const sums = sumsOf(groups)
  return { tokens: tokenCount(sums), cost: sums.cost, unpriced_tokens: sums.unpriced_tokens }
}
