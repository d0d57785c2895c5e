import { plain } from '../../platform/plain-text.ts'

const dayFormat = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short' })
const yearFormat = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short', year: 'numeric' })
const fullFormat = new Intl.DateTimeFormat([], { dateStyle: 'full', timeStyle: 'medium' })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** `now`, `4 min`, `3 h`, `2 d`, then the date. */
export function ageLabel(iso: string | null, now: number): string {
  const time = Date.parse(iso ?? '')
  if (Number.isNaN(time)) return ''
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d`
  return dateLabel(iso, now)
}

export function dateLabel(iso: string | null, now = Date.now()): string {
  const date = new Date(iso ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return (date.getFullYear() === new Date(now).getFullYear() ? dayFormat : yearFormat).format(date)
}

/** Of a day as such, `2026-11-18`, which is the same day in every time zone. */
export function dayLabel(day: string): string {
  const date = new Date(`${day}T12:00:00`)
  return dateLabel(Number.isNaN(date.getTime()) ? null : date.toISOString())
}

/** `2026-11-18`, in a time zone by its name. */
export function dayIn(timezone: string, time: number): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(time)
  } catch {
    return new Date(time).toISOString().slice(0, 10)
  }
}

/** For tooltips. */
export function fullTime(iso: string | null): string {
  const date = new Date(iso ?? '')
  return Number.isNaN(date.getTime()) ? 'time unknown' : fullFormat.format(date)
}

/** `84`, `1.2K`, `3.45M`. */
export function compactCount(number: number): string {
  return compact.format(number)
}

export function bytesLabel(bytes: number): string {
  const [value, unit] =
    bytes < 1e3
      ? [bytes, 'B']
      : bytes < 1e6
        ? [bytes / 1e3, 'KB']
        : bytes < 1e9
          ? [bytes / 1e6, 'MB']
          : [bytes / 1e9, 'GB']
  return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** Micro-dollars; null is not known, and that is not 0. */
export function costLabel(cost: number | null): string {
  if (cost === null) return '–'
  const dollars = cost / 1e6
  if (dollars === 0) return '$0'
  // A single call costs fractions of a cent.
  if (dollars < 0.0001) return '<$0.0001'
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`
  return dollars < 1_000 ? `$${dollars.toFixed(2)}` : `$${dollars.toLocaleString('en', { maximumFractionDigits: 0 })}`
}

/** The last folder of a path, for rows; the tooltip has all of it. */
export function folderName(path: string | null): string {
  return plain(
    path
      ?.replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? '',
  )
}

/** The first line of a title that nobody chose. */
export function titleOf(title: string | null, id: string): string {
  const text = plain(title ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? `Session ${id.slice(0, 8)}` : text
}
