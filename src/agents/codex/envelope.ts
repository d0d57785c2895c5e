import { wholeNumber } from '../../native/json-bytes.ts'
import type { Line } from '../../native/line-cursor.ts'
import { toIso } from '../../native/time.ts'

/** What a line is, judged by its first bytes: Codex writes the keys of the envelope in a fixed order. */
export interface Envelope {
  /** The record's type. */
  readonly type: string
  /** For items and events the payload's type, else empty. */
  readonly inner: string
  readonly time: string
  /** The record's number; negative where it has none. */
  readonly ordinal: number
  /** Where the payload's first key is. */
  readonly payload: number
}

const key = (text: string): Buffer => Buffer.from(text)
const TIMESTAMP = key('{"timestamp":"')
const ORDINAL = key('"ordinal":')
const TYPE = key('"type":"')
const PAYLOAD = key(',"payload":{')
const CLOSE = 0x7d
const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `2026-11-15T18:43:39.898Z`, which is how Ion writes it too. */
const TIME_LENGTH = 24

/**
 * Undefined for a line in any other shape, and for one that may be torn: those are parsed. A complete record ends with the
 * braces of its payload (or metadata) and its own.
 */
export function envelopeOf({ buffer, start, end, terminated }: Line): Envelope | undefined {
  if (!terminated || buffer[end - 1] !== CLOSE || buffer[end - 2] !== CLOSE) return undefined
  if (!startsWith(buffer, start, TIMESTAMP)) return undefined
  let at = start + TIMESTAMP.length + TIME_LENGTH
  if (at >= end || buffer[at] !== QUOTE || buffer[at + 1] !== COMMA) return undefined
  const time = plainTime(buffer.toString('latin1', at - TIME_LENGTH, at))
  if (time === undefined) return undefined
  at += 2
  let ordinal = -1
  if (startsWith(buffer, at, ORDINAL)) {
    ordinal = wholeNumber(buffer, at + ORDINAL.length)
    while (at < end && buffer[at] !== COMMA) at++
    at++
  }
  const type = startsWith(buffer, at, TYPE) ? wordAt(buffer, at + TYPE.length, end) : undefined
  if (type === undefined) return undefined
  at += TYPE.length + type.length + 1
  if (!startsWith(buffer, at, PAYLOAD)) return undefined
  const payload = at + PAYLOAD.length
  if (type !== 'response_item' && type !== 'event_msg') return { type, inner: '', time, ordinal, payload }
  const inner = startsWith(buffer, payload, TYPE) ? wordAt(buffer, payload + TYPE.length, end) : undefined
  return inner === undefined ? undefined : { type, inner, time, ordinal, payload }
}

/** As `keyOf` for the parsed record. */
export function envelopeKey({ offset }: Line, { ordinal }: Envelope): string {
  return ordinal < 0 ? `@${offset}` : `#${ordinal}`
}

/** Times that need no conversion; days that not every month has are parsed. */
const PLAIN_TIME = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

function plainTime(text: string): string | undefined {
  return PLAIN_TIME.test(text) ? text : toIso(text)
}

const words = new Map<number, string>()
const MAX_WORD = 40

/** A type's name. There are a few dozen, so each becomes a string once and is then found by its bytes. */
function wordAt(buffer: Buffer, from: number, end: number): string | undefined {
  let hash = 0
  const limit = Math.min(end, from + MAX_WORD)
  for (let at = from; at < limit; at++) {
    const byte = buffer[at]!
    if (byte === BACKSLASH) return undefined
    if (byte !== QUOTE) {
      hash = (Math.imul(hash, 31) + byte) | 0
      continue
    }
    const known = words.get(hash)
    if (known !== undefined && isWord(buffer, from, at, known)) return known
    const word = buffer.toString('latin1', from, at)
    if (words.size < 200) words.set(hash, word)
    return word
  }
  return undefined
}

function isWord(buffer: Buffer, from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false
  for (let i = 0; i < word.length; i++) if (buffer[from + i] !== word.charCodeAt(i)) return false
  return true
}

/** Byte by byte: for a few bytes faster than a native call. */
export function startsWith(buffer: Buffer, at: number, prefix: Buffer): boolean {
  for (let i = 0; i < prefix.length; i++) if (buffer[at + i] !== prefix[i]) return false
  return true
}
