/** `14:02`, with the day before it when that is not today. */
export function shortTime(iso: string, now: Date): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const clock = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  if (time.toDateString() === now.toDateString()) return clock
  const day = time.toLocaleDateString([], { day: 'numeric', month: 'short' })
  return time.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${day} ${time.getFullYear()} ${clock}`
}

export function count(number: number, one: string, several: string): string {
  return `${number.toLocaleString()} ${number === 1 ? one : several}`
}
