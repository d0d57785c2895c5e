import { IonError } from '../platform/error.ts'

/** The value of `--limit`; undefined for 0, which means all. */
export function parseLimit(value: unknown, fallback: number): number | undefined {
  if (value === undefined) return fallback
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) {
    throw new IonError('usage', `invalid --limit "${value}"`, { hint: 'use a whole number; 0 = all' })
  }
  return Number(value) || undefined
}
