import { type CallTokens, sumTokens } from '../catalog/calls/packed-calls.ts'
import type { TokenUsage } from '../events/event.ts'
import type { UsageSums } from './report.ts'

type Figures = CallTokens & Omit<UsageSums, 'tokens'>

export function sumsOf(groups: readonly Figures[]): UsageSums {
  const sum = (of: (group: Figures) => number): number => groups.reduce((total, group) => total + of(group), 0)
  /** What is not known of any is not known. */
  const known = (of: (group: Figures) => number | null): number | null =>
    groups.reduce<number | null>((total, group) => {
      const value = of(group)
      return value === null ? total : (total ?? 0) + value
    }, null)
  return {
    calls: sum(({ calls }) => calls),
    sums: sum(({ sums }) => sums),
    tokens: sumTokens(groups),
    cost: known(({ cost }) => cost),
    unpriced_calls: sum(({ unpriced_calls }) => unpriced_calls),
    unpriced_tokens: sum(({ unpriced_tokens }) => unpriced_tokens),
    cost_given: known(({ cost_given }) => cost_given),
    given_to_compare: known(({ given_to_compare }) => given_to_compare),
    cost_to_compare: known(({ cost_to_compare }) => cost_to_compare),
  }
}

/** All tokens: input of any kind, and output. */
export function tokenCount({ tokens }: { readonly tokens: TokenUsage }): number {
  return tokens.input + tokens.cache_read + tokens.cache_write + tokens.output
}
