import displayWidth from 'fast-string-width'

const PLAIN = /^[\x20-\x7e]*$/

/** Columns that a text takes in a terminal. Most texts are ASCII, and for those it is their length. */
export function width(text: string): number {
  return PLAIN.test(text) ? text.length : displayWidth(text)
}
