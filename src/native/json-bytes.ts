/**
 * Looking into a line of JSON without parsing it. A run of bytes like `"key":` with unescaped quotes cannot stand inside
 * a JSON string (there the quotes are escaped), so finding one is finding a key, at some depth. Callers know the
 * writers' order of keys and fall back to JSON.parse for anything else.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A line to look into: its bytes, and for a short one the same as text of one character per byte. */
export interface Haystack {
  readonly buffer: Buffer
  /** Where the line begins in the buffer. */
  readonly start: number
  readonly latin1: string | undefined
}

export interface Needle {
  readonly text: string
  readonly bytes: Buffer
}

/** Only ASCII, so that both forms are of one length. */
export function needle(text: string): Needle {
  return { text, bytes: Buffer.from(text, 'latin1') }
}

/**
 * Index in the buffer of `wanted`, all of it in `[from..to)`; negative when it is not there. One that begins with an escaped quote does not
 * count. Searching text costs far less per call than searching bytes, and far more per byte to make it.
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

/** Index of the quote that ends the string whose first byte is at `from`, or -1 when it does not end before `to`. */
export function stringEnd(buffer: Buffer, from: number, to: number): number {
  const window = buffer.subarray(0, to)
  for (let at = window.indexOf(QUOTE, from); at >= 0; at = window.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (at - 1 - slashes >= from && buffer[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** A short string of plain ASCII (an id, a time, a type); undefined when it is not that, or does not end before `to`. */
export function plainString(buffer: Buffer, from: number, to: number): string | undefined {
  const limit = Math.min(to, from + 512)
  for (let at = from; at < limit; at++) {
    const byte = buffer[at]!
    if (byte === QUOTE) return buffer.toString('latin1', from, at)
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return undefined
  }
  return undefined
}

/** The whole number at `from`; 0 where there is none. */
export function wholeNumber(buffer: Buffer, from: number): number {
  let value = 0
  for (let i = from; ; i++) {
    const digit = buffer[i]! - 48
    if (!(digit >= 0 && digit <= 9)) return value
    value = value * 10 + digit
  }
}
