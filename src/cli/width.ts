import displayWidth from 'fast-string-width'

const PLAIN = /^[\x20-\x7e]*$/

/** Only printable ASCII: one column for each unit of the string. Most texts are. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** Columns that a text takes in a terminal. */
export function width(text: string): number {
  return isPlain(text) ? text.length : displayWidth(text)
}
