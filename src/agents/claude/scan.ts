import type { IonEvent } from '../../events/schema.ts'
import { noTokens, titleFrom } from '../../events/session.ts'
import { eventText } from '../../events/text.ts'
import { decodeStart, findKey, plainString, wholeNumber } from '../../native/json-bytes.ts'
import { hasBadText, parseLine } from '../../native/json-lines.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { LineScanner, ScanState } from '../line-scanner.ts'
import { indexedLength, makePassage, type Passage, passageOf } from '../passage.ts'
import { addTokens } from '../summarise.ts'
import { draftsOf } from './read.ts'
import { bookkeeping, type ClaudeRecord, SYNTHETIC } from './records.ts'

/**
 * Most bytes of a Claude Code file are tool results and the program's own copies of its prompts. Both are told from
 * their first bytes and passed over; assistant records have their usage taken by key. Short lines, and lines in any
 * other shape, are parsed and go through the reader's own code.
 */
export const scanner: LineScanner = { start, count, summary: (state) => state.summary, passages }

/** Below this JSON.parse costs less than looking around. */
const SHORT = 1024

const key = (text: string): Buffer => Buffer.from(text)
const RECORD = key('{"parentUuid":')
const BOOKKEEPING = key('{"type":"')
const TIMESTAMP = key('","timestamp":"')
const UUID = key('"uuid":"')
const RESULT = key('"message":{"role":"user","content":[{"tool_use_id":"')
const RESULT_BODY = key('"type":"tool_result","content":"')
const RESULT_TYPE = key('"type":"tool_result"')
const TEXT_TYPE = key('"type":"text"')
const ROLE = key('"role":"assistant"')
const CONTENT = key('"content":[{"type":"')
const NEXT_BLOCK = key('},{"type":"')
const USAGE = key('"usage":{"input_tokens":')
const CACHE_WRITE = key('"cache_creation_input_tokens":')
const CACHE_READ = key('"cache_read_input_tokens":')
const OUTPUT = key('"output_tokens":')
const REASONING = key('"output_tokens_details":{"thinking_tokens":')
const MODEL = key('"model":"')
const MESSAGE_ID = key('"message":{"id":"')
const API_ERROR = key('"isApiErrorMessage":true')
const HEAD = 600
const UUID_LENGTH = 36
const CLOSE = 0x7d

/** Ids of the last model messages whose usage was counted; the blocks of one message follow each other closely. */
type Memory = string[]
const REMEMBERED = 32

function start(): ScanState {
  return {
    summary: {
      messages: 0,
      tool_calls: 0,
      tokens: noTokens,
      model: null,
      first_prompt: null,
      created_at: null,
      updated_at: null,
      problems: 0,
    },
    memory: [] satisfies Memory,
  }
}

function count(state: ScanState, line: LineCursor): void {
  if (hasBadText(line)) countProblem(state)
  if (isLong(line) && (isBookkeeping(line) || countToolResult(state, line) || countAnswer(state, line))) return
  countParsed(state, line)
}

/**
 * Long enough to be worth looking around in, and one whole record as far as a look can tell: an agent that was killed
 * in the middle of a line goes on behind it, and then a second record stands in the line. (Two pieces of bookkeeping in
 * one line may pass unnoticed: nothing of the conversation is in them.)
 */
function isLong({ buffer, start, end, terminated }: LineCursor): boolean {
  if (end - start < SHORT || !terminated || buffer[end - 1] !== CLOSE) return false
  return findKey(buffer, RECORD, start + 1, end) < 0
}

/** `{"type":"api-request…` and the like: records outside the conversation begin with their type. */
function isBookkeeping({ buffer, start, end }: LineCursor): boolean {
  if (!startsWith(buffer, start, BOOKKEEPING)) return false
  const type = plainString(buffer, start + BOOKKEEPING.length, end)
  return type !== undefined && bookkeeping.has(type)
}

/** A user record whose content is one tool result with a plain string: not a message, only a sign of life. */
function countToolResult(state: ScanState, line: LineCursor): boolean {
  const time = isPlainToolResult(line) ? topLevelTime(line) : undefined
  if (time === undefined) return false
  touch(state, time)
  return true
}

function isPlainToolResult({ buffer, start, end }: LineCursor): boolean {
  if (!startsWith(buffer, start, RECORD)) return false
  const at = findKey(buffer, RESULT, start, Math.min(end, start + HEAD))
  if (at < 0) return false
  const body = findKey(buffer, RESULT_BODY, at, Math.min(end, at + HEAD))
  if (body < 0) return false
  return findKey(buffer, RESULT_TYPE, body + RESULT_TYPE.length, end) < 0 && findKey(buffer, TEXT_TYPE, body, end) < 0
}

/** An assistant record with one block. */
function countAnswer(state: ScanState, line: LineCursor): boolean {
  const { buffer, start, end } = line
  const block = answerBlock(line)
  if (!block) return false
  const usageAt = findKey(buffer, USAGE, block.at, end)
  const time = topLevelTime(line)
  const model = findKey(buffer, MODEL, start, block.at)
  const id = findKey(buffer, MESSAGE_ID, start, block.at)
  if (usageAt < 0 || time === undefined || model < 0 || id < 0) return false
  const messageId = plainString(buffer, id + MESSAGE_ID.length, end)
  const modelName = plainString(buffer, model + MODEL.length, end)
  if (!messageId || !modelName || modelName === SYNTHETIC) return false
  const { summary } = state
  state.summary = {
    ...summary,
    model: modelName,
    messages: summary.messages + (block.type === 'text' ? 1 : 0),
    tool_calls: summary.tool_calls + (block.type === 'tool_use' ? 1 : 0),
    tokens: remember(state, messageId) ? addTokens(summary.tokens, usageFrom(buffer, usageAt, end)) : summary.tokens,
  }
  touch(state, time)
  return true
}

function answerBlock({ buffer, start, end }: LineCursor): { type: string; at: number } | undefined {
  if (!startsWith(buffer, start, RECORD)) return undefined
  const role = findKey(buffer, ROLE, start, Math.min(end, start + HEAD))
  const at = role < 0 ? -1 : findKey(buffer, CONTENT, role, Math.min(end, role + HEAD))
  if (at < 0) return undefined
  const type = plainString(buffer, at + CONTENT.length, end)
  if (type !== 'text' && type !== 'thinking' && type !== 'tool_use') return undefined
  if (findKey(buffer, NEXT_BLOCK, at, end) >= 0 || findKey(buffer, API_ERROR, at, end) >= 0) return undefined
  return { type, at }
}

function usageFrom(buffer: Buffer, at: number, end: number): typeof noTokens {
  const limit = Math.min(end, at + HEAD)
  const take = (needle: Buffer): number => {
    const found = findKey(buffer, needle, at, limit)
    return found < 0 ? 0 : wholeNumber(buffer, found + needle.length)
  }
  return {
    input: wholeNumber(buffer, at + USAGE.length),
    output: take(OUTPUT),
    cache_read: take(CACHE_READ),
    cache_write: take(CACHE_WRITE),
    reasoning: take(REASONING),
  }
}

/** `timestamp` stands behind `uuid` in every record of the conversation; a nested one does not. */
function topLevelTime({ buffer, start, end }: LineCursor): string | undefined {
  for (let at = findKey(buffer, TIMESTAMP, start, end); at >= 0; at = findKey(buffer, TIMESTAMP, at + 1, end)) {
    if (!startsWith(buffer, at - UUID_LENGTH - UUID.length, UUID)) continue
    return toIso(plainString(buffer, at + TIMESTAMP.length, end))
  }
  return undefined
}

function countParsed(state: ScanState, line: LineCursor): void {
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank') return
  if ('problem' in parsed) {
    countProblem(state)
    return
  }
  const record = parsed.record as ClaudeRecord
  let drafts: readonly Draft[] | undefined
  try {
    drafts = draftsOf(record, { add: (id) => remember(state, id) })
  } catch {
    countProblem(state)
  }
  const time = toIso(record.timestamp)
  if (time && (drafts === undefined || drafts.length > 0)) touch(state, time)
  for (const draft of drafts ?? []) countDraft(state, draft)
}

function countProblem(state: ScanState): void {
  state.summary = { ...state.summary, problems: state.summary.problems + 1 }
}

function countDraft(state: ScanState, draft: Draft): void {
  const { summary } = state
  const isMessage = draft.type === 'user' || draft.type === 'assistant'
  state.summary = {
    ...summary,
    messages: summary.messages + (isMessage ? 1 : 0),
    tool_calls: summary.tool_calls + (draft.type === 'tool_use' ? 1 : 0),
    tokens: draft.token_usage ? addTokens(summary.tokens, draft.token_usage) : summary.tokens,
    model: draft.model ?? summary.model,
    first_prompt: summary.first_prompt ?? (draft.type === 'user' ? titleFrom(eventText(draft as IonEvent)) : null),
  }
}

function touch(state: ScanState, time: string): void {
  state.summary = { ...state.summary, created_at: state.summary.created_at ?? time, updated_at: time }
}

/** True the first time. */
function remember(state: ScanState, messageId: string): boolean {
  const memory = state.memory as Memory
  if (memory.includes(messageId)) return false
  memory.push(messageId)
  if (memory.length > REMEMBERED) memory.shift()
  return true
}

function passages(line: LineCursor): readonly Passage[] {
  if (isLong(line)) {
    if (isBookkeeping(line)) return []
    const found = resultPassage(line)
    if (found) return [found]
  }
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank' || 'problem' in parsed) return []
  const record = parsed.record as ClaudeRecord
  let drafts: readonly Draft[] | undefined
  try {
    drafts = draftsOf(record)
  } catch {
    return []
  }
  const timestamp = toIso(record.timestamp) ?? ''
  return (drafts ?? []).flatMap((draft) => passageOf({ ...draft, timestamp } as IonEvent) ?? [])
}

/** The beginning of a tool result, which is all that is indexed of it. */
function resultPassage(line: LineCursor): Passage | undefined {
  if (!isPlainToolResult(line)) return undefined
  const { buffer, start, end } = line
  const body = findKey(buffer, RESULT_BODY, start, end) + RESULT_BODY.length
  const time = topLevelTime(line)
  const decoded = decodeStart(buffer, body, end, indexedLength.tool + 1)
  return decoded && time ? makePassage('tool', decoded.text, time) : undefined
}

function startsWith(buffer: Buffer, at: number, prefix: Buffer): boolean {
  return at >= 0 && buffer.compare(prefix, 0, prefix.length, at, at + prefix.length) === 0
}
