import type { CallRate } from '../catalog/calls/call-groups.ts'
import { type PriceBook, priceOf, pricesOf } from './prices/price-book.ts'
import { type Kind, type PriceRow, type Rates, tiers } from './prices/price-row.ts'

/** Before the first call of any model, and after the last. */
const EVER = 0
const NEVER = 8.64e15
const ANY_LENGTH = 1e15

/**
 * The prices of these models as rows that a database can join with calls: the same rules as `costOf`, to which a property test
 * holds it.
 */
export function callRates(book: PriceBook, models: readonly string[]): CallRate[] {
  return models.flatMap((model) => {
    const starts = pricesOf(book, model).flatMap(({ rows }) =>
      rows.map(({ from }) => (from === undefined ? EVER : Date.parse(from))),
    )
    const times = [...new Set([EVER, ...starts])].sort((a, b) => a - b)
    return times.flatMap((from, index) => {
      const price = priceOf(book, model, new Date(from))
      return price ? bandsOf(price.row).map((band) => ({ model, from, to: times[index + 1] ?? NEVER, ...band })) : []
    })
  })
}

type Band = Omit<CallRate, 'model' | 'from' | 'to'>

/** A tier has the thresholds of the standard one too. Where it has no rates of its own for a length, there is no price. */
function bandsOf({ bands }: PriceRow): Band[] {
  return tiers.flatMap((tier) => {
    const known = bands.filter((band) => band.tier === 'standard' || band.tier === tier)
    const thresholds = [...new Set([0, ...known.map(({ above }) => above)])].sort((a, b) => a - b)
    return thresholds.flatMap((above, index) => {
      const found = bands.find((band) => band.tier === tier && band.above === above)
      if (!found) return []
      return [
        { tier, above: above === 0 ? -1 : above, upTo: thresholds[index + 1] ?? ANY_LENGTH, ...ratesOf(found.rates) },
      ]
    })
  })
}

function ratesOf(rates: Rates): Record<Kind, number | null> {
  return {
    input: rates.input ?? null,
    output: rates.output ?? null,
    cache_read: rates.cache_read ?? null,
    cache_write: rates.cache_write ?? null,
    cache_write_1h: rates.cache_write_1h ?? null,
  }
}
