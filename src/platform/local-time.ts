/** `2026-11-12` in the user's time zone. */
export function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** `14:02` in the user's time zone. */
export function minuteOf(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `2026-11-12 14:02` in the user's time zone. */
export function localTime(iso: string): string {
  const date = new Date(iso)
  return `${dayOf(date)} ${minuteOf(date)}`
}

function two(count: number): string {
  return String(count).padStart(2, '0')
}
