import { formatCount } from '../../../platform/format-count.ts'
import type { UsageSums } from '../../../usage/report.ts'

/** `$1,234.56`; smaller sums with as many digits as it takes to be more than nothing. */
export function dollars(micros: number): string {
  if (micros >= 10_000 || micros === 0) {
    const cents = Math.round(micros / 10_000)
    return `$${formatCount(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`
  }
  return `$${(micros / 1_000_000).toFixed(micros >= 100 ? 4 : 6)}`
}

/** `-` where no price is known, and `+` where it does not contain everything. */
export function costOf({ cost, unpriced_tokens }: Pick<UsageSums, 'cost' | 'unpriced_tokens'>): string {
  return cost === null ? '-' : `${dollars(cost)}${unpriced_tokens > 0 ? '+' : ''}`
}
