import type { TokenUsage } from '../events/event.ts'

/** With what is kept for an hour, 0 where no agent reports it. */
export type CountedTokens = TokenUsage & { cache_write_1h: number }

/** Sums of model calls. Each call is counted once, wherever it is repeated. */
export interface UsageSums {
  readonly calls: number
  /** Of these, those for which the agent stores only the sum of several calls. */
  readonly sums: number
  readonly tokens: CountedTokens
  /** At list prices, in micro-dollars: of everything that has a price. Null if nothing has. */
  readonly cost: number | null
  /** Calls and tokens without a known price, which are not part of `cost`. */
  readonly unpriced_calls: number
  readonly unpriced_tokens: number
  /** What the agents themselves say, in micro-dollars, of the calls for which they do; null if there are none. */
  readonly cost_given: number | null
  /** Of the calls for which both are known completely: what the agents say, and the cost at list prices. */
  readonly given_to_compare: number | null
  readonly cost_to_compare: number | null
}

export const usageReports = [
  'daily',
  'weekly',
  'monthly',
  'sessions',
  'models',
  'projects',
  'agents',
  'blocks',
] as const
export type UsageBy = (typeof usageReports)[number]

/** Its rows are times, in their order. */
export function isByTime(by: UsageBy): boolean {
  return by === 'daily' || by === 'weekly' || by === 'monthly' || by === 'blocks'
}

/** One line of a report. */
export interface UsageRow extends UsageSums {
  /** The day (2026-11-18), the first day of the week, the month (2026-11), the id of the session, the model, … */
  readonly key: string
  readonly agents: readonly string[]
  readonly models: readonly string[]
  /** Times of the first and the last call. */
  readonly first: string
  readonly last: string
  /** Of sessions. */
  readonly title?: string | null
  readonly project?: string | null
  readonly parent_session?: string | null
  /** Of blocks. */
  readonly block?: Block
  /** The same by model, on request. */
  readonly breakdown?: readonly (UsageSums &
    Pick<UsageRow, 'agents' | 'first' | 'last'> & { readonly model: string | null })[]
}

/** A window of five hours, in which some vendors count their limits. */
export interface Block {
  readonly ends: string
  readonly is_active: boolean
  /** Of an active one: at its end, if it continues as it was. */
  readonly projected_tokens: number | null
  readonly projected_cost: number | null
}

/** A model without a known price, or with tokens that have none. */
export interface UnpricedModel {
  readonly model: string | null
  readonly calls: number
  readonly tokens: number
  /** It has a price, but not for these tokens: of their kind, of the tier, or at that time. */
  readonly has_rates: boolean
}

export interface UsageReport {
  readonly by: UsageBy
  readonly timezone: string
  readonly since: string | null
  readonly until: string | null
  readonly rows: readonly UsageRow[]
  readonly total: UsageSums
  readonly unpriced: readonly UnpricedModel[]
  /** Records of calls that are counted in another session. Null if only some calls were selected. */
  readonly repeated: number | null
  readonly prices: { readonly source: string; readonly date: string; readonly digest: string }
}
