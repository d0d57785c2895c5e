import type { CallEvent } from '../../events/model-call.ts'
import type { IonEvent, TokenUsage } from '../../events/schema.ts'
import { addTokens } from '../../events/session.ts'
import { findKey, type Needle, needle, plainString, wholeNumber } from '../../native/json-bytes.ts'
import { hasBadText, parseLine } from '../../native/json-lines.ts'
import type { Line } from '../../native/line-cursor.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import { attempt } from '../../platform/error.ts'
import { type LineScanner, reportCalls, type ScanState, startState } from '../line-scanner.ts'
import { draftPassages, type Passage } from '../passage.ts'
import { countEvent, noteTime } from '../summarise.ts'
import { answerShape, isBookkeeping, isCompleteRecord, resultTime, toolCallId } from './line-shape.ts'
import { draftsOf } from './read.ts'
import { type ClaudeRecord, SYNTHETIC } from './records.ts'
import { addedUsage, callId, callOf, completeUsage, newUsageMemory, type UsageMemory } from './usage.ts'

/**
 * Most bytes of a Claude Code file are tool results and the program's own copies of its prompts. Both are recognised by
 * their first bytes and skipped; the usage of assistant records is found by key. Lines in any other shape are parsed and go
 * through the reader's code.
 */
export const scanner: LineScanner = {
  start: () => startState(newUsageMemory()),
  count,
  summary: (state) => state.summary,
  passages,
}

type OnCall = ((event: CallEvent) => void) | undefined

function count(state: ScanState, line: Line, onCall?: OnCall): void {
  if (hasBadText(line)) state.summary.problems++
  if (
    isCompleteRecord(line) &&
    (isBookkeeping(line) || countToolResult(state, line) || countAnswer(state, line, onCall))
  )
    return
  countParsed(state, line, onCall)
}

/** Not a message: only its time counts. */
function countToolResult(state: ScanState, line: Line): boolean {
  const time = resultTime(line)
  if (time === undefined) return false
  noteTime(state.summary, time)
  return true
}

const MODEL = needle('"model":"')
const MESSAGE_ID = '"id":"'
const USAGE = needle('"usage":{"input_tokens":')
const CACHE_WRITE = needle('"cache_creation_input_tokens":')
const CACHE_WRITE_1H = needle('"ephemeral_1h_input_tokens":')
const CACHE_READ = needle('"cache_read_input_tokens":')
const OUTPUT = needle('"output_tokens":')
const REASONING = needle('"output_tokens_details":{"thinking_tokens":')
const TIER = needle('"service_tier":"')
const REQUEST_ID = needle('"requestId":"')
/** These lines are parsed. */
const COST = needle('"costUSD":')
const ERROR = needle('"isApiErrorMessage":true')
/** The counted part of a usage is within this many bytes. */
const USAGE_LENGTH = 600

function countAnswer(state: ScanState, line: Line, onCall: OnCall): boolean {
  const shape = answerShape(line)
  if (!shape) return false
  const { buffer, end } = line
  const model = findKey(line, MODEL, shape.message, shape.from)
  const usage = findKey(line, USAGE, shape.to, end)
  if (model < 0 || usage < 0) return false
  const modelName = plainString(buffer, model + MODEL.text.length, end)
  const messageId = plainString(buffer, shape.message + MESSAGE_ID.length, end)
  const request = findKey(line, REQUEST_ID, usage, end)
  const requestId = request < 0 ? '' : plainString(buffer, request + REQUEST_ID.text.length, end)
  const eventId = shape.type === 'tool_use' ? toolCallId(line, shape.from) : shape.uuid
  if (!messageId || !modelName || modelName === SYNTHETIC || requestId === undefined || !eventId) return false
  if (findKey(line, COST, usage, end) >= 0 || findKey(line, ERROR, usage, end) >= 0) return false
  const { summary } = state
  summary.model = modelName
  if (shape.type === 'text') summary.messages++
  if (shape.type === 'tool_use') summary.tool_calls++
  noteTime(summary, shape.time)
  const id = callId(messageId, requestId, shape.uuid)
  const token_usage = addedUsage(state.memory as UsageMemory, id, usageFrom(line, usage))
  if (!token_usage) return true
  summary.tokens = addTokens(summary.tokens, token_usage)
  if (!onCall) return true
  const call = callOf(id, tierFrom(line, usage))
  onCall({ id: eventId, timestamp: shape.time, model: modelName, token_usage, ...(call ? { call } : {}) })
  return true
}

function usageFrom(line: Line, at: number): TokenUsage {
  const { buffer } = line
  const limit = Math.min(line.end, at + USAGE_LENGTH)
  const take = (wanted: Needle): number => {
    const found = findKey(line, wanted, at, limit)
    return found < 0 ? 0 : wholeNumber(buffer, found + wanted.text.length)
  }
  const counts = {
    input: wholeNumber(buffer, at + USAGE.text.length),
    output: take(OUTPUT),
    cache_read: take(CACHE_READ),
    cache_write: take(CACHE_WRITE),
    reasoning: 0,
  }
  return completeUsage(counts, counts.cache_write > 0 ? take(CACHE_WRITE_1H) : 0, take(REASONING))
}

function tierFrom(line: Line, at: number): string | undefined {
  const found = findKey(line, TIER, at, Math.min(line.end, at + USAGE_LENGTH))
  return found < 0 ? undefined : plainString(line.buffer, found + TIER.text.length, line.end)
}

function countParsed(state: ScanState, line: Line, onCall: OnCall): void {
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank') return
  if ('problem' in parsed) {
    state.summary.problems++
    return
  }
  const record = parsed.record as ClaudeRecord
  let drafts: readonly Draft[] | undefined
  try {
    drafts = draftsOf(record, state.memory as UsageMemory)
  } catch {
    state.summary.problems++
  }
  const time = toIso(record.timestamp)
  if (time && (drafts === undefined || drafts.length > 0)) noteTime(state.summary, time)
  for (const draft of drafts ?? []) countEvent(state.summary, draft as IonEvent)
  if (onCall) reportCalls(drafts ?? [], record.uuid || `@${line.offset}`, state.summary.updated_at, onCall)
}

function passages(line: Line): readonly Passage[] {
  if (isCompleteRecord(line) && isBookkeeping(line)) return []
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank' || 'problem' in parsed) return []
  const record = parsed.record as ClaudeRecord
  const drafts = attempt(() => draftsOf(record)) ?? []
  return draftPassages(drafts, record.uuid || `@${line.offset}`, record.timestamp)
}
