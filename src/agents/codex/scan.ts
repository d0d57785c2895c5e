import type { IonEvent } from '../../events/schema.ts'
import { noTokens, type Summary, titleFrom } from '../../events/session.ts'
import { eventText } from '../../events/text.ts'
import { findKey, plainString } from '../../native/json-bytes.ts'
import { hasBadText, parseLine } from '../../native/json-lines.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { LineScanner, ScanState } from '../line-scanner.ts'
import { type Passage, passageOf } from '../passage.ts'
import { addTokens } from '../summarise.ts'
import { draftsOf, newMemory, type Memory as ReaderMemory } from './drafts.ts'
import { type Envelope, envelopeOf } from './envelope.ts'
import { newPairing, type Pairing, pair, pairRole } from './pairing.ts'
import { type CodexRecord, twinItems } from './records.ts'
import { isCompressed } from './rollout-file.ts'
import { outputPassage, summaryPassage, withoutSecret } from './scan-text.ts'

/**
 * Most bytes of a rollout are what tools printed, encrypted reasoning, the instructions, and what the screen was told
 * again. Such lines are known from their first bytes and passed over, or have the start of their text decoded. Short
 * lines, messages, and lines in any other shape are parsed and go through the reader's own code.
 */
export const scanner: LineScanner = {
  // A fork is more than its file, a compressed one has no lines, and bare records have no times of their own.
  applies: (head) =>
    (head.format === 'rollout-paginated' || head.format === 'rollout-legacy') && !isCompressed(head.path),
  start,
  count,
  summary,
  passages,
}

/** Below this JSON.parse costs less than looking around. */
const SHORT = 640

const ITEM = Buffer.from('"item":{"type":"')
const ITEM_WITHIN = 400

interface Memory {
  readonly reader: ReaderMemory
  /** Of waiting message events only the time is needed. */
  readonly pairing: Pairing<string | null>
}

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
    memory: { reader: newMemory(), pairing: newPairing() } satisfies Memory,
  }
}

function count(state: ScanState, line: LineCursor): void {
  if (hasBadText(line)) countProblem(state)
  const envelope = line.length >= SHORT ? envelopeOf(line) : undefined
  if (!envelope || !countLong(state, line, envelope)) countParsed(state, line)
}

/** False when the line must be parsed after all. */
function countLong(state: ScanState, line: LineCursor, { type, time }: Envelope): boolean {
  switch (type) {
    case 'session_meta':
    case 'world_state':
      return true
    case 'event_msg/item_completed':
      return isTwin(line)
    case 'compacted':
    case 'response_item/function_call_output':
    case 'response_item/custom_tool_call_output':
      touch(state, time)
      return true
    case 'response_item/reasoning':
      touch(state, time)
      noteModel(state)
      return true
    case 'response_item/function_call':
    case 'response_item/custom_tool_call':
      touch(state, time)
      noteModel(state)
      state.summary = { ...state.summary, tool_calls: state.summary.tool_calls + 1 }
      return true
    default:
      return false
  }
}

/** What the screen was told of a command, a change or a search; messages are parsed, since they may stand alone. */
function isTwin({ buffer, start, end }: LineCursor): boolean {
  const at = findKey(buffer, ITEM, start, Math.min(end, start + ITEM_WITHIN))
  const type = at < 0 ? undefined : plainString(buffer, at + ITEM.length, end)
  return type !== undefined && twinItems.has(type) && type !== 'UserMessage' && type !== 'AgentMessage'
}

function countParsed(state: ScanState, line: LineCursor): void {
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank') return
  if ('problem' in parsed) {
    countProblem(state)
    return
  }
  const { record } = parsed
  const time = toIso(record.timestamp)
  const role = pairRole(record)
  if (role) {
    const { alone, held } = pair(memoryOf(state).pairing, role, time ?? null)
    touchAll(state, alone)
    if (held) return
  }
  const drafts = draftsOrProblem(record, memoryOf(state).reader)
  if (drafts === 'problem') countProblem(state)
  if (time && (drafts === 'problem' || drafts === undefined || drafts.length > 0)) touch(state, time)
  if (Array.isArray(drafts)) for (const draft of drafts) countDraft(state, draft)
}

function draftsOrProblem(record: CodexRecord, memory: ReaderMemory): Draft[] | undefined | 'problem' {
  try {
    return draftsOf(record, memory)
  } catch {
    return 'problem'
  }
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

function countProblem(state: ScanState): void {
  state.summary = { ...state.summary, problems: state.summary.problems + 1 }
}

function noteModel(state: ScanState): void {
  const { model } = memoryOf(state).reader
  if (model && state.summary.model !== model) state.summary = { ...state.summary, model }
}

function touch(state: ScanState, time: string): void {
  state.summary = { ...state.summary, created_at: state.summary.created_at ?? time, updated_at: time }
}

function touchAll(state: ScanState, times: readonly (string | null)[]): void {
  for (const time of times) if (time) touch(state, time)
}

function memoryOf(state: ScanState): Memory {
  return state.memory as Memory
}

/** The events that still wait for their item have none, if this is the end. */
function summary(state: ScanState): Summary {
  const ended = { ...state }
  touchAll(
    ended,
    memoryOf(state).pairing.waiting.map((entry) => entry.value),
  )
  return ended.summary
}

function passages(line: LineCursor): readonly Passage[] {
  const envelope = line.length >= SHORT ? envelopeOf(line) : undefined
  return (envelope && longPassages(line, envelope)) ?? parsedPassages(line)
}

/** Undefined when the line must be parsed after all. */
function longPassages(line: LineCursor, envelope: Envelope): readonly Passage[] | undefined {
  switch (envelope.type) {
    case 'session_meta':
    case 'world_state':
    case 'event_msg/token_count':
      return []
    case 'event_msg/item_completed':
      return isTwin(line) ? [] : undefined
    case 'compacted':
      return summaryPassage(line, envelope)
    case 'response_item/function_call_output':
    case 'response_item/custom_tool_call_output':
      return outputPassage(line, envelope)
    case 'response_item/reasoning': {
      const record = withoutSecret(line, envelope)
      return record && passagesOf(record)
    }
    default:
      return undefined
  }
}

function parsedPassages(line: LineCursor): readonly Passage[] {
  const parsed = parseLine(line)
  return parsed === 'torn' || parsed === 'blank' || 'problem' in parsed ? [] : passagesOf(parsed.record)
}

function passagesOf(record: CodexRecord): readonly Passage[] {
  const drafts = draftsOrProblem(record, newMemory())
  if (!Array.isArray(drafts)) return []
  const timestamp = toIso(record.timestamp) ?? ''
  return drafts.flatMap((draft) => passageOf({ ...draft, timestamp } as IonEvent) ?? [])
}
