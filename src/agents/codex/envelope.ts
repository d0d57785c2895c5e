import { findKey, plainString } from '../../native/json-bytes.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import { toIso } from '../../native/time.ts'

/** What a long line is, told from its first bytes: Codex writes the keys of the envelope in one order. */
export interface Envelope {
  /** The record's type, and for items and events behind a slash that of the payload: `response_item/reasoning`. */
  readonly type: string
  readonly time: string
  /** Where the payload's first key stands. */
  readonly payload: number
}

const key = (text: string): Buffer => Buffer.from(text)
const TIMESTAMP = key('{"timestamp":"')
const ORDINAL = key('"ordinal":')
const TYPE = key('"type":"')
const PAYLOAD = key(',"payload":{')
const CLOSE = 0x7d
const COMMA = 0x2c

/**
 * Undefined for a line in any other shape, and for one that may be torn: those are parsed. A record of Codex ends with
 * the braces of its payload (or metadata) and its own, and no second record stands in its line.
 */
export function envelopeOf({ buffer, start, end, terminated }: LineCursor): Envelope | undefined {
  if (!terminated || buffer[end - 1] !== CLOSE || buffer[end - 2] !== CLOSE) return undefined
  if (!startsWith(buffer, start, TIMESTAMP)) return undefined
  const timestamp = plainString(buffer, start + TIMESTAMP.length, end)
  const time = toIso(timestamp)
  if (timestamp === undefined || time === undefined) return undefined
  let at = start + TIMESTAMP.length + timestamp.length + 2
  if (startsWith(buffer, at, ORDINAL)) {
    at += ORDINAL.length
    while (at < end && buffer[at] !== COMMA) at++
    at++
  }
  const type = startsWith(buffer, at, TYPE) ? plainString(buffer, at + TYPE.length, end) : undefined
  if (type === undefined) return undefined
  at += TYPE.length + type.length + 1
  if (!startsWith(buffer, at, PAYLOAD) || findKey(buffer, TIMESTAMP, at, end) >= 0) return undefined
  const payload = at + PAYLOAD.length
  if (type !== 'response_item' && type !== 'event_msg') return { type, time, payload }
  const inner = startsWith(buffer, payload, TYPE) ? plainString(buffer, payload + TYPE.length, end) : undefined
  return inner === undefined ? undefined : { type: `${type}/${inner}`, time, payload }
}

export function startsWith(buffer: Buffer, at: number, prefix: Buffer): boolean {
  return at >= 0 && buffer.compare(prefix, 0, prefix.length, at, at + prefix.length) === 0
}
