import { decodeStart, findKey, stringEnd } from '../../native/json-bytes.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import { indexedLength, makePassage, type Passage } from '../passage.ts'
import { type Envelope, startsWith } from './envelope.ts'
import { endsWrapped, WRAPPED } from './output.ts'
import type { CodexRecord } from './records.ts'

const key = (text: string): Buffer => Buffer.from(text)
const OUTPUT = key('","output":"')
const OUTPUT_WITHIN = 600
const MESSAGE = key('"message":"')
const SECRET = key(',"encrypted_content":"')
/** How the wrapping of older outputs looks inside a JSON string. */
const WRAPPED_BYTES = key(JSON.stringify(WRAPPED).slice(1, -1))
const WRAP_TAIL = 200

/** The beginning of what a tool printed, which is all that is indexed of it; undefined when it is not a plain string. */
export function outputPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  const found = findKey(buffer, OUTPUT, payload, Math.min(end, payload + OUTPUT_WITHIN))
  if (found < 0) return undefined
  const from = found + OUTPUT.length
  const text = startsWith(buffer, from, WRAPPED_BYTES)
    ? wrappedStart(buffer, from, end)
    : decodeStart(buffer, from, end, indexedLength.tool + 1)?.text
  return text === undefined ? undefined : toPassages('tool', text, time)
}

/** The start of a text inside a string of JSON inside a string of JSON. Undefined when it does not end as expected. */
function wrappedStart(buffer: Buffer, from: number, end: number): string | undefined {
  const close = stringEnd(buffer, from, end)
  if (close < 0 || !endsWrapped(decodedTail(buffer, from, close))) return undefined
  // One character of the inner text takes at most six of the outer.
  const limit = indexedLength.tool + 1
  const outer = decodeStart(buffer, from, end, limit * 6 + 64)
  if (!outer) return undefined
  const inner = Buffer.from(outer.text)
  return decodeStart(inner, WRAPPED.length, inner.length, limit)?.text
}

/** The last characters of a string of JSON; only quotes are escaped in the end that is looked for. */
function decodedTail(buffer: Buffer, from: number, close: number): string {
  return buffer.toString('latin1', Math.max(from, close - WRAP_TAIL), close).replaceAll('\\"', '"')
}

/** The summary that a compaction left. */
export function summaryPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  if (!startsWith(buffer, payload, MESSAGE)) return undefined
  const decoded = decodeStart(buffer, payload + MESSAGE.length, end, indexedLength.summary + 1)
  return decoded && toPassages('summary', decoded.text, time)
}

/** The record without its encrypted part, which is nearly all of it; undefined when that is not a plain string. */
export function withoutSecret(line: LineCursor, { payload }: Envelope): CodexRecord | undefined {
  const { buffer, start, end } = line
  const from = findKey(buffer, SECRET, payload, end)
  const close = from < 0 ? -1 : stringEnd(buffer, from + SECRET.length, end)
  if (close < 0) return undefined
  try {
    return JSON.parse(buffer.toString('utf8', start, from) + buffer.toString('utf8', close + 1, end)) as CodexRecord
  } catch {
    return undefined
  }
}

function toPassages(role: 'tool' | 'summary', text: string, time: string): Passage[] {
  const passage = makePassage(role, text, time)
  return passage ? [passage] : []
}
