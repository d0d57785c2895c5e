import { plain } from '../platform/plain-text.ts'

/** Lone surrogates, which UTF-8 cannot encode. */
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text of a transcript for a document, without control sequences, which a terminal would obey. */
export function clean(text: string): string {
  return wellFormed(plain(text))
}

export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATES, '\ufffd')
}

/** The same on one line of up to `length` characters. */
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
