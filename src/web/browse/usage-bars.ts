import type { UsageOverview, UsagePart } from '../../usage/overview.ts'

export type Measure = 'cost' | 'tokens'

/** What a bar is made of, from the largest part on. */
export interface Bar {
  /** The first day. */
  readonly day: string
  readonly days: number
  readonly total: number
  readonly parts: readonly { readonly name: string; readonly value: number }[]
}

export interface Bars {
  readonly bars: readonly Bar[]
  /** The parts with a colour of their own, largest first; everything else is `OTHER`. */
  readonly names: readonly string[]
  readonly max: number
}

export const OTHER = 'other'
export const UNKNOWN = 'unknown model'
const COLOURS = 7
/** More columns would be too thin to point at. */
const MAX_BARS = 92
const DAY_MS = 86_400_000

/** What a bar is divided by. */
export type Stack = 'model' | 'agent'

/** The parts of each day, by their names. */
export function partsByDay(
  days: UsageOverview['days'],
  measure: Measure,
  nameOf: (part: UsagePart) => string,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return new Map(
    days.map(({ day, parts }) => {
      const byName = new Map<string, number>()
      for (const part of parts) {
        const value = part[measure] ?? 0
        if (value > 0) byName.set(nameOf(part), (byName.get(nameOf(part)) ?? 0) + value)
      }
      return [day, byName]
    }),
  )
}

/** One bar per day from the first to the last, also where nothing happened; of long times one per week or month. */
export function barsOf(days: ReadonlyMap<string, ReadonlyMap<string, number>>): Bars {
  const totals = new Map<string, number>()
  for (const parts of days.values())
    for (const [name, value] of parts) totals.set(name, (totals.get(name) ?? 0) + value)
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const shown = names.length > COLOURS + 1 ? names.slice(0, COLOURS) : names
  const keys = [...days.keys()].sort()
  const [first, last] = [time(keys[0]), time(keys.at(-1))]
  if (keys.length === 0 || Number.isNaN(first)) return { bars: [], names: [], max: 0 }
  const span = Math.round((last - first) / DAY_MS) + 1
  const width = span <= MAX_BARS ? 1 : span <= MAX_BARS * 7 ? 7 : 30
  const bars = Array.from({ length: Math.ceil(span / width) }, (_, index): Bar => {
    const from = first + index * width * DAY_MS
    const sums = new Map<string, number>()
    for (let day = 0; day < width; day++) {
      for (const [name, value] of days.get(dayOf(from + day * DAY_MS)) ?? []) {
        const part = shown.includes(name) ? name : OTHER
        sums.set(part, (sums.get(part) ?? 0) + value)
      }
    }
    const parts = [...shown, OTHER].flatMap((name) => (sums.has(name) ? [{ name, value: sums.get(name)! }] : []))
    return { day: dayOf(from), days: width, total: parts.reduce((sum, { value }) => sum + value, 0), parts }
  })
  const isCut = shown.length < names.length
  return { bars, names: isCut ? [...shown, OTHER] : shown, max: Math.max(0, ...bars.map(({ total }) => total)) }
}

function time(day: string | undefined): number {
  return Date.parse(`${day}T00:00:00Z`)
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Weeks from Monday to Sunday that end with the last day's, for a calendar; undefined is outside of the range. */
export function weeksOf(lastDay: string, weeks: number): readonly (readonly string[])[] {
  const last = time(lastDay)
  const weekday = (new Date(last).getUTCDay() + 6) % 7
  const monday = last - weekday * DAY_MS - (weeks - 1) * 7 * DAY_MS
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayOf(monday + (week * 7 + day) * DAY_MS)),
  )
}
