import { IonError } from '../platform/error.ts'

/** `--limit`: a whole number; undefined for 0, which means all. */
export function parseLimit(value: unknown, standard: number): number | undefined {
  if (value === undefined) return standard
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) {
    throw new IonError('usage', `--limit ${String(value)} is not a number`, { hint: 'give a whole number, 0 for all' })
  }
  return Number(value) || undefined
}
