import { IonError } from '../platform/error.ts'

const DAY_MS = 86_400_000

/** Days of a time zone. */
export interface Zone {
  readonly name: string
  /** `2026-11-18`, for milliseconds since 1970. */
  dayOf(time: number): string
  /** When a day begins, for `2026-11-18`. */
  startOf(day: string): Date
}

/** The system's zone by default. Throws `usage` for a name that it does not know. */
export function timeZone(name?: string): Zone {
  const format = formatOf(name)
  const dayOf = (time: number): string => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  }
  return {
    name: format.resolvedOptions().timeZone,
    dayOf,
    startOf(day) {
      // No zone is further than a day from UTC, and a day begins at a quarter of an hour.
      const QUARTER = 15 * 60_000
      let [before, after] = [Date.parse(day) - DAY_MS, Date.parse(day) + DAY_MS]
      while (after - before > QUARTER) {
        const middle = before + Math.round((after - before) / 2 / QUARTER) * QUARTER
        if (dayOf(middle) < day) before = middle
        else after = middle
      }
      return new Date(after)
    },
  }
}

function formatOf(name: string | undefined): Intl.DateTimeFormat {
  const options = {
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  } as const
  try {
    return new Intl.DateTimeFormat('en-CA', { ...options, ...(name === undefined ? {} : { timeZone: name }) })
  } catch {
    throw new IonError('usage', `"${name}" is not a time zone`, {
      hint: 'write one like UTC, Europe/Berlin or America/New_York',
    })
  }
}

/** The Monday of that day's week. */
export function weekOf(day: string): string {
  const time = Date.parse(day)
  const sinceMonday = (new Date(time).getUTCDay() + 6) % 7
  return new Date(time - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

export function nextDay(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
}

export function previousDay(day: string): string {
  return new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)
}
