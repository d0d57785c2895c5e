import type { UsageOverview, UsagePart } from '../../usage/overview.ts'

export type Measure = 'cost' | 'tokens'

/** What a bar is made of, from the largest part on. */
export interface Bar {
  /** The first day. */
  readonly day: string
  readonly total: number
  readonly parts: readonly { readonly name: string; readonly value: number }[]
}

export type Unit = 'day' | 'week' | 'month'

export interface Bars {
  /** What each bar is of: weeks begin on Monday, as those of `ion usage weekly`. */
  readonly unit: Unit
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
  const keys = [...days.keys()].filter((day) => !Number.isNaN(time(day))).sort()
  const [first, last] = [keys[0], keys.at(-1)]
  if (first === undefined || last === undefined) return { unit: 'day', bars: [], names: [], max: 0 }
  const totals = new Map<string, number>()
  for (const parts of days.values())
    for (const [name, value] of parts) totals.set(name, (totals.get(name) ?? 0) + value)
  const all = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const names = all.length > COLOURS ? [...all.slice(0, COLOURS), OTHER] : all
  const span = Math.round((time(last) - time(first)) / DAY_MS) + 1
  const unit = span <= MAX_BARS ? 'day' : span <= MAX_BARS * 7 ? 'week' : 'month'
  const sums = new Map<string, Map<string, number>>()
  for (let start = startOf(first, unit); start <= last; start = startAfter(start, unit)) sums.set(start, new Map())
  for (const day of keys) {
    const ofBar = sums.get(startOf(day, unit))!
    for (const [name, value] of days.get(day)!) {
      const part = names.includes(name) ? name : OTHER
      ofBar.set(part, (ofBar.get(part) ?? 0) + value)
    }
  }
  const bars = [...sums].map(([day, ofBar]): Bar => {
    const parts = names.flatMap((name) => (ofBar.has(name) ? [{ name, value: ofBar.get(name)! }] : []))
    return { day, total: parts.reduce((sum, { value }) => sum + value, 0), parts }
  })
  return { unit, bars, names, max: Math.max(...bars.map(({ total }) => total)) }
}

/** Round values for the lines behind the bars, up to four. */
export function gridLines(max: number): number[] {
  if (!(max > 0)) return []
  const magnitude = 10 ** Math.floor(Math.log10(max / 4))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((one) => one >= max / 4)!
  return Array.from({ length: Math.floor(max / step) }, (_, index) => (index + 1) * step)
}

function startOf(day: string, unit: Unit): string {
  if (unit === 'month') return `${day.slice(0, 7)}-01`
  return unit === 'week' ? dayOf(mondayOf(time(day))) : day
}

function startAfter(start: string, unit: Unit): string {
  // Any day of the next month.
  if (unit === 'month') return startOf(dayOf(time(start) + 31 * DAY_MS), unit)
  return dayOf(time(start) + (unit === 'week' ? 7 : 1) * DAY_MS)
}

function mondayOf(day: number): number {
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS
}

function time(day: string | undefined): number {
  return Date.parse(`${day}T00:00:00Z`)
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Weeks from Monday to Sunday that end with the last day's, for a calendar; undefined is outside of the range. */
export function weeksOf(lastDay: string, weeks: number): readonly (readonly string[])[] {
  const monday = mondayOf(time(lastDay)) - (weeks - 1) * 7 * DAY_MS
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayOf(monday + (week * 7 + day) * DAY_MS)),
  )
}
