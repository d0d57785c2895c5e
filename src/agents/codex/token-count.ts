import type { Line } from '../../native/line-cursor.ts'
import { parsedObject } from '../../native/narrow.ts'
import { type Envelope, startsWith } from './envelope.ts'
import type { TokenCount } from './usage.ts'

const key = (text: string): Buffer => Buffer.from(text)
const TOTAL = key('"type":"token_count","info":{"total_token_usage":')
const LAST = key(',"last_token_usage":')

/** The two sums of a token_count event without parsing the rest; undefined when the line must be parsed. */
export function tokenCountOf({ buffer, end }: Line, { payload }: Envelope): TokenCount | undefined {
  if (!startsWith(buffer, payload, TOTAL)) return undefined
  const totalAt = payload + TOTAL.length
  const totalEnd = objectEnd(buffer, totalAt, end)
  if (totalEnd < 0 || !startsWith(buffer, totalEnd, LAST)) return undefined
  const lastAt = totalEnd + LAST.length
  const lastEnd = objectEnd(buffer, lastAt, end)
  if (lastEnd < 0) return undefined
  const last = parsedObject(buffer.toString('latin1', lastAt, lastEnd))
  return last && { total: buffer.toString('latin1', totalAt, totalEnd), last }
}

const OPEN = 0x7b
const CLOSE = 0x7d
const SPACE = 0x20

/** The end of an object of numbers without nested objects and spaces: exactly what JSON.stringify writes. */
function objectEnd(buffer: Buffer, from: number, end: number): number {
  if (buffer[from] !== OPEN) return -1
  for (let at = from + 1; at < end; at++) {
    const byte = buffer[at]!
    if (byte === CLOSE) return at + 1
    if (byte === OPEN || byte <= SPACE || byte > 0x7e) return -1
  }
  return -1
}
