import { inputText } from '../../events/text.ts'
import { findKey, needle, plainString, stringEnd } from '../../native/json-bytes.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import { parsedObject } from '../../native/narrow.ts'
import { textStart } from '../../native/text-start.ts'
import { indexedLength, makePassage, type Passage, type Role } from '../passage.ts'
import { type Envelope, startsWith } from './envelope.ts'
import { endsWrapped, parseArguments, WRAPPED } from './items.ts'
import type { TokenCount } from './usage.ts'

/** Texts and sums of the most common lines, taken from their bytes. Each is undefined when the line must be parsed after all. */

const key = (text: string): Buffer => Buffer.from(text)
const OUTPUT = needle('","output":"')
const OUTPUT_WITHIN = 600
const MESSAGE = key('"message":"')
const SUMMARY = needle('"summary":[{"type":"summary_text","text":"')
const SUMMARY_END = key('"}],')
const NO_SUMMARY = needle('"summary":[],')
const NO_CONTENT = key('"content":null,')
const SECRET = key('"encrypted_content":"')
const NAME = needle('"name":"')
const ARGUMENTS = key('","arguments":"')
const CALL_WITHIN = 300
/** The wrapper of older outputs, as it is inside a JSON string. */
const WRAPPED_BYTES = key(JSON.stringify(WRAPPED).slice(1, -1))
const WRAP_TAIL = 160
/** The output is the last field of such a record. */
const LINE_END = '"}}'

/** The start of what a tool printed, which is all that is indexed of it. */
export function outputPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  const found = findKey(line, OUTPUT, payload, Math.min(end, payload + OUTPUT_WITHIN))
  if (found < 0) return undefined
  const from = found + OUTPUT.text.length
  const wrapped = startsWith(buffer, from, WRAPPED_BYTES)
  if (wrapped && !isWrapped(buffer, from, end)) return undefined
  const text = textStart(buffer, wrapped ? from + WRAPPED_BYTES.length : from, end, indexedLength.tool + 1, {
    nested: wrapped,
  })
  return toPassages('tool', text, time)
}

function isWrapped(buffer: Buffer, from: number, end: number): boolean {
  const tail = buffer.toString('latin1', Math.max(from, end - WRAP_TAIL), end)
  return tail.endsWith(LINE_END) && endsWrapped(tail.slice(0, -LINE_END.length).replaceAll('\\"', '"'))
}

/** The summary that a compaction left. */
export function summaryPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  if (!startsWith(buffer, payload, MESSAGE)) return undefined
  return toPassages('summary', textStart(buffer, payload + MESSAGE.length, end, indexedLength.summary + 1), time)
}

/** Reasoning of which nothing, or a summary in one part, is readable; only the encrypted text follows. */
export function reasoningPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  const within = Math.min(end, payload + CALL_WITHIN)
  const silent = findKey(line, NO_SUMMARY, payload, within)
  if (silent >= 0) return endsReadable(buffer, silent + NO_SUMMARY.text.length) ? [] : undefined
  const found = findKey(line, SUMMARY, payload, within)
  const from = found + SUMMARY.text.length
  const close = found < 0 ? -1 : stringEnd(buffer, from, end)
  if (close < 0 || !startsWith(buffer, close, SUMMARY_END)) return undefined
  if (!endsReadable(buffer, close + SUMMARY_END.length)) return undefined
  return toPassages('thinking', textStart(buffer, from, end, indexedLength.thinking + 1), time)
}

function endsReadable(buffer: Buffer, at: number): boolean {
  return startsWith(buffer, startsWith(buffer, at, NO_CONTENT) ? at + NO_CONTENT.length : at, SECRET)
}

/** The call of a function without a namespace: its name and the text of its arguments. */
export function callPassage(line: LineCursor, { payload, time }: Envelope): readonly Passage[] | undefined {
  const { buffer, end } = line
  const nameAt = findKey(line, NAME, payload, Math.min(end, payload + CALL_WITHIN))
  const name = nameAt < 0 ? undefined : plainString(buffer, nameAt + NAME.text.length, end)
  if (name === undefined) return undefined
  const at = nameAt + NAME.text.length + name.length
  if (!startsWith(buffer, at, ARGUMENTS)) return undefined
  const from = at + ARGUMENTS.length
  const close = stringEnd(buffer, from, end)
  const text = close < 0 ? undefined : textStart(buffer, from, end, close - from + 1)
  return text === undefined ? undefined : toPassages('tool', `${name} ${inputText(parseArguments(text))}`, time)
}

function toPassages(role: Role, text: string | undefined, time: string): Passage[] | undefined {
  if (text === undefined) return undefined
  const passage = makePassage(role, text, time)
  return passage ? [passage] : []
}

const TOTAL = key('"type":"token_count","info":{"total_token_usage":')
const LAST = key(',"last_token_usage":')

/** The two sums of a token_count event without parsing the rest; undefined when the line must be parsed. */
export function tokenCountOf({ buffer, end }: LineCursor, { payload }: Envelope): TokenCount | undefined {
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
