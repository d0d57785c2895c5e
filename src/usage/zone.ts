import { IonError } from '../platform/error.ts'

const DAY_MS = 86_400_000
/** A day begins at a quarter of an hour. */
const QUARTER_MS = 15 * 60_000

/** Days and times of a time zone. */
export interface Zone {
  readonly name: string
  /** `2026-11-18`, for milliseconds since 1970. */
  dayOf(time: number): string
  /** `2026-11-18 14:02:07`. */
  timeOf(time: number): string
  /** When a day or a time begins, for `2026-11-18` or `2026-11-18 14:02:07`. */
  startOf(local: string): Date
}

/** The system's zone by default. Throws `usage` for a name that it does not know. */
export function timeZone(name?: string): Zone {
  const formats = { day: formatOf(name, days), time: formatOf(name, { ...days, ...times }) }
  const partsOf = (format: Intl.DateTimeFormat, time: number): ((type: Intl.DateTimeFormatPartTypes) => string) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
    return (type) => parts.get(type)!
  }
  const dayOf = (time: number): string => {
    const part = partsOf(formats.day, time)
    return `${part('year')}-${part('month')}-${part('day')}`
  }
  const timeOf = (time: number): string => {
    const part = partsOf(formats.time, time)
    return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`
  }
  return {
    name: formats.day.resolvedOptions().timeZone,
    dayOf,
    timeOf,
    startOf(local) {
      const [day] = local.split(' ')
      const [step, labelOf] = day === local ? [QUARTER_MS, dayOf] : [1000, timeOf]
      // No zone is further than a day from UTC.
      let [before, after] = [Date.parse(day!) - DAY_MS, Date.parse(day!) + 2 * DAY_MS]
      while (after - before > step) {
        const middle = before + Math.round((after - before) / 2 / step) * step
        if (labelOf(middle) < local) before = middle
        else after = middle
      }
      return new Date(after)
    },
  }
}

const days = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
const times = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const

function formatOf(name: string | undefined, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const options = { calendar: 'iso8601', numberingSystem: 'latn', ...parts }
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
