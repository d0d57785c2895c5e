/** What `JSON.stringify` leaves as it is but a terminal, an editor or a script would obey: DEL, C1, line separators, bidi marks. */
const UNSAFE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON for output. Parsed, it is the same value; printed, it contains no control characters and no marks of direction. */
export function toJsonText(value: unknown, space?: number): string {
  return escapeUnsafe(JSON.stringify(value, null, space))
}

/** The same for JSON that is text already. */
function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
