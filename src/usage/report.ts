import type { TokenUsage } from '../events/event.ts'

/** Sums of model calls. Each call is counted once, wherever it is repeated. */
export interface UsageSums {
  readonly calls: number
  readonly tokens: Required<TokenUsage>
  /** At list prices, in micro-dollars: of everything that has a price. Null if nothing has. */
  readonly cost: number | null
  /** Tokens that have no known price, and are not part of `cost`. */
  readonly unpriced_tokens: number
  /** What the agents themselves say, in micro-dollars, of the calls for which they do; null if there are none. */
  readonly cost_given: number | null
  /** Our cost of the same calls, to compare. */
  readonly cost_where_given: number | null
}

export type UsageBy = 'daily' | 'weekly' | 'monthly' | 'sessions' | 'models' | 'projects' | 'agents' | 'blocks'

/** One line of a report. */
export interface UsageRow extends UsageSums {
  /** The day (2026-11-18), the first day of the week, the month (2026-11), the id of the session, the model, … */
  readonly key: string
  readonly agents: readonly string[]
  readonly models: readonly string[]
  readonly first: string
  readonly last: string
  /** Of sessions. */
  readonly title?: string | null
  readonly parent_session?: string | null
  /** With `breakdown`: the same by model. */
  readonly breakdown?: readonly (UsageSums & { readonly model: string })[]
}

export interface UsageReport {
  readonly by: UsageBy
  readonly timezone: string
  readonly rows: readonly UsageRow[]
  readonly total: UsageSums
  /** Models without a known price, and how many tokens that are. */
  readonly unpriced: readonly { readonly model: string; readonly calls: number; readonly tokens: number }[]
  /** Calls that other sessions repeat, and that were not counted again. */
  readonly repeated: number
  readonly prices: { readonly source: string; readonly date: string; readonly digest: string }
}
