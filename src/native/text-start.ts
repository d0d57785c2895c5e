/**
 * The first characters of a JSON string, decoded straight from the bytes: making a JavaScript string of kilobytes and
 * parsing it, twice for a string of JSON inside one, costs more than all other work on the line.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** Instead of a unit of text: the string ended, or it is malformed and must be parsed. */
const END = -1
const BAD = -2

/** What an escaped byte means. */
const escapes = new Int32Array(256).fill(BAD)
for (const [letter, meaning] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  escapes[letter!.charCodeAt(0)] = meaning!.charCodeAt(0)
}

let units = new Uint16Array(2048)
let at = 0

/**
 * Up to `limit` characters (UTF-16 units) of the string whose first byte is at `from`; the same as JSON.parse and then
 * `slice`. With `nested` the string is itself JSON, and `from` is the first byte of a string inside it. Undefined if
 * the string does not end before `to`, or cannot be decoded.
 */
export function textStart(
  buffer: Buffer,
  from: number,
  to: number,
  limit: number,
  { nested = false }: { readonly nested?: boolean } = {},
): string | undefined {
  if (units.length < limit) units = new Uint16Array(limit)
  at = from
  let length = 0
  for (let here = from; length < limit; here = at) {
    // Most bytes mean themselves, at either level.
    let byte = buffer[here]!
    while (byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH) {
      units[length++] = byte
      if (length === limit) break
      byte = buffer[++here]!
    }
    at = here
    if (length === limit) break
    const unit = nested ? innerUnit(buffer) : outerUnit(buffer)
    if (at > to || unit === BAD) return undefined
    if (unit === END) break
    if (unit > 0xffff) {
      // Two units; the second may exceed the limit.
      units[length++] = 0xd800 | ((unit - 0x10000) >> 10)
      if (length < limit) units[length++] = 0xdc00 | (unit & 0x3ff)
    } else units[length++] = unit
  }
  if (at > to) return undefined
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

function innerUnit(buffer: Buffer): number {
  const unit = outerUnit(buffer)
  if (unit === QUOTE) return END
  // The outer string ended first.
  if (unit === END || (unit >= 0 && unit < 0x20)) return BAD
  if (unit !== BACKSLASH) return unit
  const letter = outerUnit(buffer)
  if (letter === LETTER_U) return hexUnit(buffer)
  return letter < 0 || letter > 255 ? BAD : escapes[letter]!
}

function outerUnit(buffer: Buffer): number {
  const byte = buffer[at++]!
  if (byte === BACKSLASH) {
    const letter = buffer[at++]!
    return letter === LETTER_U ? hexUnit(buffer) : escapes[letter]!
  }
  if (byte === QUOTE) return END
  if (byte < 0x80) return byte < 0x20 ? BAD : byte
  return wideUnit(buffer, byte)
}

function hexUnit(buffer: Buffer): number {
  let unit = 0
  for (let i = 0; i < 4; i++) {
    const byte = buffer[at++]!
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57
    if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) return BAD
    unit = unit * 16 + digit
  }
  return unit
}

/** A character of more than one byte. Invalid UTF-8 is left to the parser, which shows it as �. */
function wideUnit(buffer: Buffer, first: number): number {
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1
  let unit = first & (0x3f >> more)
  for (let i = 0; i < more; i++) {
    const byte = buffer[at++]!
    if ((byte & 0xc0) !== 0x80) return BAD
    unit = unit * 64 + (byte & 0x3f)
  }
  const least = more === 3 ? 0x10000 : more === 2 ? 0x800 : 0x80
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
  return first < 0xc2 || unit < least || unit > 0x10ffff || isSurrogate ? BAD : unit
}
