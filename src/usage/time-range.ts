import { IonError } from '../platform/error.ts'
import { parseSince } from '../platform/since.ts'
import { nextDay, previousDay, type Zone } from './zone.ts'

/** What `--since` and `--until` say, in days and times of the report's zone; `until` includes its day. Throws `usage`. */
export function timeRange(
  zone: Zone,
  sinceText: string | undefined,
  untilText: string | undefined,
  now: Date,
): { readonly since?: Date; readonly until?: Date } {
  const since = sinceText === undefined ? undefined : timeOf(zone, sinceText, now, (day) => day)
  const until = untilText === undefined ? undefined : timeOf(zone, untilText, now, nextDay)
  if (since && until && since >= until) {
    throw new IonError('usage', `there is no time between --since ${sinceText} and --until ${untilText}`, {
      hint: 'the earlier one is --since',
    })
  }
  return { ...(since ? { since } : {}), ...(until ? { until } : {}) }
}

function timeOf(zone: Zone, text: string, now: Date, dayOf: (day: string) => string): Date {
  // Also for a day: it is an error if there is no such day.
  const time = parseSince(text, now)
  const wanted = text.trim().toLowerCase()
  const today = zone.dayOf(now.getTime())
  if (wanted === 'today') return zone.startOf(dayOf(today))
  if (wanted === 'yesterday') return zone.startOf(dayOf(previousDay(today)))
  if (/^\d{4}-\d\d-\d\d$/.test(wanted)) return zone.startOf(dayOf(wanted))
  const [, day, clock] = /^(?:(\d{4}-\d\d-\d\d)[t ])?(\d\d?:\d\d(?::\d\d)?)$/.exec(wanted) ?? []
  if (clock === undefined) return time
  const local = clock.padStart(clock.length + (clock.indexOf(':') % 2), '0').padEnd(8, ':00')
  const at = zone.startOf(`${day ?? today} ${local}`)
  return day === undefined && at > now ? zone.startOf(`${previousDay(today)} ${local}`) : at
}
