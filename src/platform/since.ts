import { IonError } from './error.ts'

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/**
 * A point in the past as people type it: `30s`, `30m`, `2h`, `7d`, `3w` ago, `14:02` or `14:02:07` (the last one), `today`, `yesterday`, a date `2026-11-01` (from
 * its beginning in the local time zone) or any ISO time. Throws `usage` for anything else.
 */
export function parseSince(text: string, now: Date): Date {
  const wanted = text.trim().toLowerCase()
  const [, count, unit] = /^(\d{1,5})([smhdw])$/.exec(wanted) ?? []
  if (count && unit) return new Date(now.getTime() - Number(count) * unitMs[unit]!)
  if (wanted === 'today') return midnight(now, 0)
  if (wanted === 'yesterday') return midnight(now, -1)
  const [, hours, minutes, seconds = '0'] = /^(\d\d?):(\d\d)(?::(\d\d))?$/.exec(wanted) ?? []
  if (Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60) {
    return lastTime(now, Number(hours), Number(minutes), Number(seconds))
  }
  const date = /^\d{4}-\d\d-\d\d$/.test(wanted) ? localDate(wanted) : isoTime(text.trim())
  if (date) return date
  throw new IonError('usage', `"${text}" is not a time`, {
    hint: 'write 30m, 2h, 7d, 3w, 14:02, today, yesterday, a date like 2026-11-01, or a time like 2026-11-01T14:02:07',
  })
}

function lastTime(now: Date, hours: number, minutes: number, seconds: number): Date {
  const at = (days: number): Date =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes, seconds)
  return at(0) > now ? at(-1) : at(0)
}

function midnight(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
}

/** Undefined for a day that does not exist: Date would turn 30 February into 2 March. */
function localDate(text: string): Date | undefined {
  const [year, month, day] = text.split('-').map(Number) as [number, number, number]
  const date = new Date(year, month - 1, day)
  return date.getMonth() === month - 1 && date.getDate() === day ? date : undefined
}

function isoTime(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return undefined
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}
