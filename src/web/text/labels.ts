// Created once: that takes longer than every use.
const clockFormat = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short' })

/** `14:02`, preceded by the day if it is not today. */
export function shortTime(iso: string, now: Date): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const clock = clockFormat.format(time)
  if (time.toDateString() === now.toDateString()) return clock
  const day = dayFormat.format(time)
  return time.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${day} ${time.getFullYear()} ${clock}`
}

export function count(number: number, one: string, several: string): string {
  return `${number.toLocaleString()} ${number === 1 ? one : several}`
}
