import { formatCount } from '../../../platform/format-count.ts'

/** `$1,234.56`; smaller sums with as many digits as it takes to be more than nothing. */
export function dollars(micros: number): string {
  if (micros >= 10_000 || micros === 0) {
    const cents = Math.round(micros / 10_000)
    return `$${formatCount(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`
  }
  return `$${(micros / 1_000_000).toFixed(micros >= 100 ? 4 : 6)}`
}

/** `-` where no price is known. */
export function cost(micros: number | null): string {
  return micros === null ? '-' : dollars(micros)
}
