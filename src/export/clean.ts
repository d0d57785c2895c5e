/** Escape sequences (CSI, OSC, DCS and the like), whole. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g
/** Control characters but tab and newline; also the C1 set and marks that change the direction of what follows. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
/** Halves of characters, which UTF-8 cannot hold. */
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A transcript's text for a document: tools colour their output, and whoever prints the file would run the rest. */
export function clean(text: string): string {
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '').replace(HALVES, '\ufffd')
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
