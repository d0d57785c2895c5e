import type { IonEvent } from '../../events/schema.ts'
import { addTokens, type noTokens } from '../../events/session.ts'
import { findKey, type Needle, needle, plainString, wholeNumber } from '../../native/json-bytes.ts'
import { hasBadText, parseLine } from '../../native/json-lines.ts'
import type { Line } from '../../native/line-cursor.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import { attempt } from '../../platform/error.ts'
import { hash53 } from '../../platform/hash.ts'
import { type LineScanner, type ScanState, startState } from '../line-scanner.ts'
import { draftPassages, type Passage } from '../passage.ts'
import { countEvent, noteTime } from '../summarise.ts'
import { answerShape, isBookkeeping, isCompleteRecord, resultTime } from './line-shape.ts'
import { draftsOf } from './read.ts'
import { type ClaudeRecord, SYNTHETIC } from './records.ts'

/**
 * Most bytes of a Claude Code file are tool results and the program's own copies of its prompts. Both are recognised by
 * their first bytes and skipped; the usage of assistant records is found by key. Lines in any other shape are parsed and go
 * through the reader's code.
 */
export const scanner: LineScanner = { start: () => startState([]), count, summary: (state) => state.summary, passages }

/** The last model messages whose usage was counted, by hash; the blocks of one message are close together. */
type Memory = number[]
const REMEMBERED = 8

function count(state: ScanState, line: Line): void {
  if (hasBadText(line)) state.summary.problems++
  if (isCompleteRecord(line) && (isBookkeeping(line) || countToolResult(state, line) || countAnswer(state, line)))
    return
  countParsed(state, line)
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
const CACHE_READ = needle('"cache_read_input_tokens":')
const OUTPUT = needle('"output_tokens":')
const REASONING = needle('"output_tokens_details":{"thinking_tokens":')
/** The counted part of a usage is within this many bytes. */
const USAGE_LENGTH = 600

function countAnswer(state: ScanState, line: Line): boolean {
  const shape = answerShape(line)
  if (!shape) return false
  const { buffer, end } = line
  const model = findKey(line, MODEL, shape.message, shape.from)
  const usage = findKey(line, USAGE, shape.to, end)
  if (model < 0 || usage < 0) return false
  const modelName = plainString(buffer, model + MODEL.text.length, end)
  const messageId = plainString(buffer, shape.message + MESSAGE_ID.length, end)
  if (!messageId || !modelName || modelName === SYNTHETIC) return false
  const { summary } = state
  summary.model = modelName
  if (shape.type === 'text') summary.messages++
  if (shape.type === 'tool_use') summary.tool_calls++
  if (remember(state, messageId)) summary.tokens = addTokens(summary.tokens, usageFrom(line, usage))
  noteTime(state.summary, shape.time)
  return true
}

function usageFrom(line: Line, at: number): typeof noTokens {
  const { buffer } = line
  const limit = Math.min(line.end, at + USAGE_LENGTH)
  const take = (wanted: Needle): number => {
    const found = findKey(line, wanted, at, limit)
    return found < 0 ? 0 : wholeNumber(buffer, found + wanted.text.length)
  }
  return {
    input: wholeNumber(buffer, at + USAGE.text.length),
    output: take(OUTPUT),
    cache_read: take(CACHE_READ),
    cache_write: take(CACHE_WRITE),
    reasoning: take(REASONING),
  }
}

function countParsed(state: ScanState, line: Line): void {
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank') return
  if ('problem' in parsed) {
    state.summary.problems++
    return
  }
  const record = parsed.record as ClaudeRecord
  let drafts: readonly Draft[] | undefined
  try {
    drafts = draftsOf(record, { add: (id) => remember(state, id) })
  } catch {
    state.summary.problems++
  }
  const time = toIso(record.timestamp)
  if (time && (drafts === undefined || drafts.length > 0)) noteTime(state.summary, time)
  for (const draft of drafts ?? []) countEvent(state.summary, draft as IonEvent)
}

/** True the first time. */
function remember(state: ScanState, messageId: string): boolean {
  const memory = state.memory as Memory
  const hash = hash53(messageId)
  if (memory.includes(hash)) return false
  memory.push(hash)
  if (memory.length > REMEMBERED) memory.shift()
  return true
}

function passages(line: Line): readonly Passage[] {
  if (isCompleteRecord(line) && isBookkeeping(line)) return []
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank' || 'problem' in parsed) return []
  const record = parsed.record as ClaudeRecord
  const drafts = attempt(() => draftsOf(record)) ?? []
  return draftPassages(drafts, record.uuid || `@${line.offset}`, record.timestamp)
}
