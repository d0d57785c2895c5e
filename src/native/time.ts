/** Below this a number is seconds since 1970, above it milliseconds (1e11 ms is 1973; 1e11 s is the year 5138). */
const SECONDS_LIMIT = 1e11

/** `2026-11-15 18:43:12` as SQLite writes it: UTC without a time zone. */
const BARE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/

/** A time must start with a date: `new Date('step 3')` is a day in 2001. */
const DATE = /^\d{4}-\d{2}-\d{2}/

/** As Ion and most agents write it: nothing to do. */
const CANONICAL =
  /^(?:19[7-9]|2\d\d)\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** From the year 10000 on, ISO times have another format. */
const END = Date.UTC(10_000, 0)

/** ISO time in UTC with milliseconds, from whatever the agents write; undefined if it is not a time. */
export function toIso(value: unknown): string | undefined {
  if (typeof value === 'string' && value.length === 24 && CANONICAL.test(value)) return value
  let date: Date
  if (typeof value === 'number') {
    date = new Date(value < SECONDS_LIMIT ? value * 1000 : value)
  } else if (typeof value === 'string' && DATE.test(value)) {
    const bare = BARE.exec(value)
    date = new Date(bare ? `${bare[1]}T${bare[2]}Z` : value)
  } else {
    return undefined
  }
  const time = date.getTime()
  return time > 0 && time < END ? date.toISOString() : undefined
}
