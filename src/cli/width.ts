import displayWidth from 'fast-string-width'

const PLAIN = /^[\x20-\x7e]*$/

/** Only printable ASCII, as most texts are: one column per character. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** Columns a text occupies in a terminal. */
export function width(text: string): number {
  return isPlain(text) ? text.length : displayWidth(text)
}
