import { findKey, type Needle, needle, plainString } from '../../native/json-bytes.ts'
import type { Line } from '../../native/line-cursor.ts'
import { toIso } from '../../native/time.ts'
import { bookkeeping } from './records.ts'

/**
 * What a line of a Claude Code file is, judged by its bytes. Each function answers only when it is certain; every other line
 * is parsed.
 */

const RECORD = needle('{"parentUuid":')
const BOOKKEEPING = needle('{"type":"')
const TIMESTAMP = needle('","timestamp":"')
const UUID = needle('"uuid":"')
const MESSAGE = needle('"message":{')
/** The start of the message of a tool result, and of an answer. */
const RESULT = needle('"role":"user","content":[{"tool_use_id":"')
const ANSWER = needle('"id":"')
const RESULT_BODY = needle('"type":"tool_result","content":"')
/**
 * The end of a message's blocks, with the quote of the next key. What begins with a brace is found several times faster than
 * what begins with a quote. A string may end in these bytes too: then no key follows.
 */
const MESSAGE_END = needle('}]},"')
const SECOND_BLOCK = needle('},{"')
const COPY = needle('"toolUseResult":')
const NEXT_BLOCK = needle('},{"type":"')
const CONTENT = needle('"content":[{"type":"')
const TOOL_CALL = needle('"content":[{"type":"tool_use","id":"')
const STOP = needle('],"stop_reason":')

/** Everything before a message's content is within this many bytes, and so is everything after its body. */
const NEAR = 600
const UUID_LENGTH = 36
const CLOSE = 0x7d
const QUOTE = 0x22

/**
 * One complete record, as far as the bytes show: an agent that was killed in the middle of a line continues after it, and
 * then the line has a second record. (Two bookkeeping records in one line may go unnoticed: they contain nothing of the
 * conversation.)
 */
export function isCompleteRecord(line: Line): boolean {
  const { buffer, start, end, terminated, tooLong } = line
  if (tooLong || !terminated || buffer[end - 1] !== CLOSE) return false
  return findKey(line, RECORD, start + 1, end) < 0
}

/** `{"type":"api-request…` and the like: records outside the conversation begin with their type. */
export function isBookkeeping({ buffer, start, end }: Line): boolean {
  if (!startsWith(buffer, start, BOOKKEEPING)) return false
  const type = plainString(buffer, start + BOOKKEEPING.text.length, end)
  return type !== undefined && bookkeeping.has(type)
}

/** Where the fields of a record's message begin; negative for anything that is not a record of the conversation. */
function messageStart(line: Line): number {
  const { buffer, start, end } = line
  if (!startsWith(buffer, start, RECORD)) return -1
  const at = findKey(line, MESSAGE, start, Math.min(end, start + NEAR))
  return at < 0 ? -1 : at + MESSAGE.text.length
}

/** The time of a user record whose content is one tool result with a plain string. */
export function resultTime(line: Line): string | undefined {
  const { buffer, end } = line
  const at = messageStart(line)
  if (!startsWith(buffer, at, RESULT)) return undefined
  const body = findKey(line, RESULT_BODY, at, Math.min(end, at + NEAR))
  const messageEnd = body < 0 ? -1 : findKey(line, MESSAGE_END, body, end)
  if (messageEnd < 0 || findKey(line, SECOND_BLOCK, body, messageEnd) >= 0) return undefined
  const next = messageEnd + MESSAGE_END.text.length - 1
  // After the message comes the program's own copy of the result, which may contain anything; the time is before or after it.
  if (startsWith(buffer, next, COPY)) return buffer[end - 2] === QUOTE ? timeAt(line, end - TIME_AND_END) : undefined
  return timeAt(line, next)
}

/** The length of the last fields of a record that ends with its time: `"uuid":"…","timestamp":"2026-11-15T18:43:39.898Z"}`. */
const TIME_AND_END = UUID.text.length + UUID_LENGTH + TIMESTAMP.text.length + '2026-11-15T18:43:39.898Z"}'.length

/** The time that follows the uuid at `at`. */
function timeAt({ buffer, end }: Line, at: number): string | undefined {
  const timestamp = at + UUID.text.length + UUID_LENGTH
  if (!startsWith(buffer, at, UUID) || !startsWith(buffer, timestamp, TIMESTAMP)) return undefined
  return toIso(plainString(buffer, timestamp + TIMESTAMP.text.length, end))
}

export interface AnswerShape {
  readonly type: 'text' | 'thinking' | 'tool_use'
  /** Where the message's fields begin: the id is first. */
  readonly message: number
  /** Where the content begins and where it ends. */
  readonly from: number
  readonly to: number
  readonly uuid: string
  readonly time: string
}

/** An assistant record with one block. */
export function answerShape(line: Line): AnswerShape | undefined {
  const { buffer, end } = line
  const at = messageStart(line)
  if (!startsWith(buffer, at, ANSWER)) return undefined
  const from = findKey(line, CONTENT, at, Math.min(end, at + NEAR))
  if (from < 0) return undefined
  const type = plainString(buffer, from + CONTENT.text.length, end)
  if (type !== 'text' && type !== 'thinking' && type !== 'tool_use') return undefined
  const to = findKey(line, STOP, from, end)
  if (to < 0 || findKey(line, NEXT_BLOCK, from, to) >= 0) return undefined
  const timestamp = timestampIn(line, to, end)
  if (timestamp < 0) return undefined
  const uuid = plainString(buffer, timestamp - UUID_LENGTH, end)
  const time = toIso(plainString(buffer, timestamp + TIMESTAMP.text.length, end))
  return uuid === undefined || time === undefined ? undefined : { type, message: at, from, to, uuid, time }
}

/** The id of a tool call whose content begins at `from`: its id is its first field. Undefined when the line must be parsed. */
export function toolCallId({ buffer, end }: Line, from: number): string | undefined {
  return startsWith(buffer, from, TOOL_CALL) ? plainString(buffer, from + TOOL_CALL.text.length, end) : undefined
}

/** Where `","timestamp":"` follows a `uuid`, as in every record of the conversation; a nested one does not. */
function timestampIn(line: Line, from: number, to: number): number {
  for (let at = findKey(line, TIMESTAMP, from, to); at >= 0; at = findKey(line, TIMESTAMP, at + 1, to)) {
    if (startsWith(line.buffer, at - UUID_LENGTH - UUID.text.length, UUID)) return at
  }
  return -1
}

function startsWith(buffer: Buffer, at: number, { bytes }: Needle): boolean {
  if (at < 0) return false
  for (let i = 0; i < bytes.length; i++) if (buffer[at + i] !== bytes[i]) return false
  return true
}
