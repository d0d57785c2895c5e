import { plain } from '../platform/plain-text.ts'

/** Halves of characters, which UTF-8 cannot hold. */
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A transcript's text for a document: tools colour their output, and whoever prints the file would run the rest. */
export function clean(text: string): string {
  return plain(text).replace(HALVES, '\ufffd')
}

/** The same on one line of at most `length` characters. */
export function cleanLine(text: string, length: number): string {
  const line = clean(text.slice(0, length * 8))
    .replace(/\s+/g, ' ')
    .trim()
  const letters = [...line]
  return letters.length > length
    ? `${letters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : line
}
