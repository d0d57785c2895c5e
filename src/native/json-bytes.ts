/**
 * Searches a line of JSON without parsing it. Bytes like `"key":` with unescaped quotes cannot be inside a JSON string
 * (there the quotes are escaped), so finding them means finding a key, at some depth. Callers know the
 * writers' order of keys and fall back to JSON.parse for anything else.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A line to search: its bytes, and if it is short the same as text with one character per byte. */
export interface Haystack {
  readonly buffer: Buffer
  /** Where the line starts in the buffer. */
  readonly start: number
  readonly latin1: string | undefined
}

export interface Needle {
  readonly text: string
  readonly bytes: Buffer
}

/** ASCII only, so that both forms have the same length. */
export function needle(text: string): Needle {
  return { text, bytes: Buffer.from(text, 'latin1') }
}

/**
 * Index in the buffer of `wanted`, completely in `[from..to)`; negative if there is none. One that starts with an escaped
 * quote does not count. Searching text is much cheaper per call than searching bytes, but decoding costs per byte.
 */
export function findKey(line: Haystack, wanted: Needle, from: number, to: number): number {
  return line.latin1 === undefined
    ? findInBytes(line.buffer, wanted.bytes, from, to)
    : findInText(line.latin1, wanted.text, from - line.start, to - line.start) + line.start
}

function findInText(text: string, wanted: string, from: number, to: number): number {
  const quoted = wanted.charCodeAt(0) === QUOTE
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (at + wanted.length > to) break
    if (!quoted || text.charCodeAt(at - 1) !== BACKSLASH) return at
  }
  return Number.NEGATIVE_INFINITY
}

function findInBytes(buffer: Buffer, wanted: Buffer, from: number, to: number): number {
  const window = buffer.subarray(0, to)
  for (let at = window.indexOf(wanted, from); at >= 0; at = window.indexOf(wanted, at + 1)) {
    if (wanted[0] !== QUOTE || buffer[at - 1] !== BACKSLASH) return at
  }
  return -1
}

/** Index of the quote that ends the string whose first byte is at `from`, or -1 if it does not end before `to`. */
export function stringEnd(buffer: Buffer, from: number, to: number): number {
  const window = buffer.subarray(0, to)
  for (let at = window.indexOf(QUOTE, from); at >= 0; at = window.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (at - 1 - slashes >= from && buffer[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** A short string of plain ASCII (an id, a time, a type); undefined if it is anything else, or does not end before `to`. */
export function plainString(buffer: Buffer, from: number, to: number): string | undefined {
  const limit = Math.min(to, from + 512)
  for (let at = from; at < limit; at++) {
    const byte = buffer[at]!
    if (byte === QUOTE) return buffer.toString('latin1', from, at)
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return undefined
  }
  return undefined
}

/** The integer at `from`; 0 if there is none. */
export function wholeNumber(buffer: Buffer, from: number): number {
  let value = 0
  for (let i = from; ; i++) {
    const digit = buffer[i]! - 48
    if (!(digit >= 0 && digit <= 9)) return value
    value = value * 10 + digit
  }
}
