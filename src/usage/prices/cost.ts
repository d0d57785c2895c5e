import { type Price, type PriceBook, priceOf } from './price-book.ts'
import { type Kind, kinds, type PriceRow, type Rates, type Tier } from './price-row.ts'

/** The tokens of one call. */
export interface CallUsage {
  /** Input that was neither read from nor written to a cache. */
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  /** The part of `cache_write` that is kept for an hour; missing where the agent does not report it. */
  readonly cache_write_1h?: number
}

export interface Cost {
  /** Whole micro-dollars: the sum of the parts, rounded once, half up. */
  readonly micros: number
  /** Per kind that has tokens and a rate. A part costs tokens × rate / 1,000,000 micro-dollars. */
  readonly made_of: { readonly [K in Kind]?: { readonly tokens: number; readonly rate: number } }
  /** Kinds that have tokens and no known rate: `micros` does not contain them. */
  readonly unpriced: readonly Kind[]
  readonly tier: Tier
  /** The call was charged at the rates for more than so many tokens of input; 0 for the usual ones. */
  readonly above: number
  readonly price: Price
}

export interface CostOptions {
  readonly at: Date
  readonly tier?: Tier
  /** The usage is that of several calls, none of which need have been long. */
  readonly isSum?: boolean
}

/** What a call costs; undefined if nothing of it has a known price. A model with an unknown price never costs 0. */
export function costOf(book: PriceBook, usage: CallUsage, model: string, options: CostOptions): Cost | undefined {
  const price = priceOf(book, model, options.at)
  if (!price) return undefined
  const tier = options.tier ?? 'standard'
  const above = options.isSum ? 0 : thresholdOf(price.row, tier, usage)
  const rates = ratesOf(price.row, tier, above)
  const { cache_write_1h = 0 } = usage
  const tokens: Readonly<Record<Kind, number>> = {
    input: usage.input,
    output: usage.output,
    cache_read: usage.cache_read,
    cache_write: Math.max(0, usage.cache_write - cache_write_1h),
    cache_write_1h,
  }
  const used = kinds.filter((kind) => tokens[kind] > 0)
  const unpriced = used.filter((kind) => rates?.[kind] === undefined)
  if (!rates || (used.length > 0 && unpriced.length === used.length)) return undefined
  const made_of: { [K in Kind]?: { tokens: number; rate: number } } = {}
  let exact = 0n
  for (const kind of used) {
    const rate = rates[kind]
    if (rate === undefined) continue
    made_of[kind] = { tokens: tokens[kind], rate }
    // A product may be above what a number holds exactly.
    exact += BigInt(tokens[kind]) * BigInt(rate)
  }
  return { micros: Number((exact + 500_000n) / 1_000_000n), made_of, unpriced, tier, above, price }
}

/**
 * All tokens of a call are charged at the higher rates as soon as its total input, cached or not, is above the threshold. Other
 * tiers have the thresholds of the standard one too.
 */
function thresholdOf({ bands }: PriceRow, tier: Tier, { input, cache_read, cache_write }: CallUsage): number {
  const total = input + cache_read + cache_write
  const known = bands.filter((band) => band.tier === 'standard' || band.tier === tier)
  return Math.max(0, ...known.map(({ above }) => above).filter((above) => above < total))
}

/** Undefined if the tier has no rates for calls of this length: those of another tier would be a guess. */
function ratesOf({ bands }: PriceRow, tier: Tier, above: number): Rates | undefined {
  return bands.find((band) => band.tier === tier && band.above === above)?.rates
}
