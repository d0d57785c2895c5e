/** `2026-11-12` in the reader's time zone. */
export function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** `14:02` in the reader's time zone. */
export function minuteOf(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

function two(count: number): string {
  return String(count).padStart(2, '0')
}
