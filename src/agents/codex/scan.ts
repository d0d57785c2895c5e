import type { CallEvent } from '../../events/model-call.ts'
import type { IonEvent } from '../../events/schema.ts'
import { addTokens, type Summary } from '../../events/session.ts'
import { findKey, type Needle, needle, plainString } from '../../native/json-bytes.ts'
import { hasBadText, parseLine } from '../../native/json-lines.ts'
import type { Line } from '../../native/line-cursor.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import { attempt } from '../../platform/error.ts'
import { type LineScanner, reportCalls, type ScanState, startState } from '../line-scanner.ts'
import { draftPassages, type Passage } from '../passage.ts'
import { countEvent, type GrowingSummary, noteTime } from '../summarise.ts'
import { noteSession } from './call-owner.ts'
import { draftsOf, newMemory, type Memory as ReaderMemory } from './drafts.ts'
import { type Envelope, envelopeKey, envelopeOf } from './envelope.ts'
import { newPairing, type Pairing, pair, pairedEvents, pairRole } from './pairing.ts'
import { bookkeepingEvents, keyOf, twinItems } from './records.ts'
import { isCompressed } from './rollout-file.ts'
import { tokenCountOf } from './token-count.ts'
import { countedCall, noteTier } from './usage.ts'

/**
 * Most bytes of a rollout are tool output, encrypted reasoning, the instructions, and repetitions for the screen. Such lines
 * are recognised by their first bytes and skipped. Short lines, messages, and lines in any other shape are parsed and go
 * through the reader's code.
 */
export const scanner: LineScanner = {
  // A fork is more than its file, a compressed file has no lines, and bare records have no times.
  applies: (head) =>
    (head.format === 'rollout-paginated' || head.format === 'rollout-legacy') && !isCompressed(head.path),
  start: () => startState({ reader: newMemory(), pairing: newPairing() } satisfies Memory),
  count,
  summary,
  passages,
}

const ITEM = needle('"item":{"type":"')
const ITEM_WITHIN = 400

interface Memory {
  readonly reader: ReaderMemory
  /** Only the times of waiting message events are needed. */
  readonly pairing: Pairing<string | null>
}

type OnCall = ((event: CallEvent) => void) | undefined

function count(state: ScanState, line: Line, onCall?: OnCall): void {
  if (hasBadText(line)) state.summary.problems++
  const envelope = envelopeOf(line)
  if (!envelope || !countByEnvelope(state, line, envelope, onCall)) countParsed(state, line, onCall)
}

/** False when the line must be parsed after all. */
function countByEnvelope(state: ScanState, line: Line, envelope: Envelope, onCall: OnCall): boolean {
  switch (envelope.type) {
    case 'session_meta':
      return noteOrigin(state, line, envelope)
    case 'world_state':
      return true
    case 'compacted':
      noteTime(state.summary, envelope.time)
      return true
    case 'event_msg':
      if (envelope.inner === 'token_count') return countTokens(state, line, envelope, onCall)
      if (envelope.inner === 'thread_settings_applied') return noteSettings(state, line)
      return envelope.inner === 'item_completed' ? isTwin(line) : isSilent(envelope.inner)
    case 'response_item':
      return countItem(state, envelope)
    default:
      return false
  }
}

function countItem(state: ScanState, { inner, time }: Envelope): boolean {
  switch (inner) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      noteTime(state.summary, time)
      return true
    case 'reasoning':
      noteTime(state.summary, time)
      noteModel(state)
      return true
    case 'function_call':
    case 'custom_tool_call':
      noteTime(state.summary, time)
      noteModel(state)
      state.summary.tool_calls++
      return true
    default:
      return false
  }
}

function countTokens(state: ScanState, line: Line, envelope: Envelope, onCall: OnCall): boolean {
  const { time } = envelope
  const count = tokenCountOf(line, envelope)
  if (!count) return false
  const { usage, model } = memoryOf(state).reader
  const counted = countedCall(count, usage, time)
  if (!counted) return true
  noteTime(state.summary, time)
  noteModel(state)
  state.summary.tokens = addTokens(state.summary.tokens, counted.token_usage)
  onCall?.({ id: envelopeKey(line, envelope), timestamp: time, ...(model ? { model } : {}), ...counted })
  return true
}

const ID = needle('"id":"')
const FORKED_FROM = needle('"forked_from_id":"')
const PARENT = needle('"parent_thread_id":"')
const HISTORY_BASE = needle('"history_base":{')

/** The line has the instructions, which are long: only what identifies the session is taken from it. */
function noteOrigin(state: ScanState, line: Line, { payload, time }: Envelope): boolean {
  const textOf = (key: Needle): string | undefined => {
    const at = findKey(line, key, payload, line.end)
    return at < 0 ? undefined : plainString(line.buffer, at + key.text.length, line.end)
  }
  const origin = {
    id: textOf(ID),
    parent: textOf(FORKED_FROM) ?? textOf(PARENT),
    isReference: findKey(line, HISTORY_BASE, payload, line.end) >= 0,
  }
  noteSession(memoryOf(state).reader.usage.owner, origin, time)
  return true
}

const SERVICE_TIER = needle('"service_tier":"')

function noteSettings(state: ScanState, line: Line): boolean {
  const at = findKey(line, SERVICE_TIER, line.start, line.end)
  const tier = at < 0 ? undefined : plainString(line.buffer, at + SERVICE_TIER.text.length, line.end)
  noteTier(memoryOf(state).reader.usage, tier)
  return true
}

/** Events that say nothing and take no part in pairing messages. */
function isSilent(event: string): boolean {
  return bookkeepingEvents.has(event) && !pairedEvents.has(event)
}

/** Repetitions of a command, a change or a search for the screen; messages are parsed, since they may be unpaired. */
function isTwin(line: Line): boolean {
  const { buffer, start, end } = line
  const at = findKey(line, ITEM, start, Math.min(end, start + ITEM_WITHIN))
  const type = at < 0 ? undefined : plainString(buffer, at + ITEM.text.length, end)
  return type !== undefined && twinItems.has(type) && !pairedEvents.has(type)
}

function countParsed(state: ScanState, line: Line, onCall: OnCall): void {
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank') return
  if ('problem' in parsed) {
    state.summary.problems++
    return
  }
  const { record } = parsed
  const { reader, pairing } = memoryOf(state)
  const time = toIso(record.timestamp)
  const role = pairRole(record)
  if (role) {
    const { alone, held } = pair(pairing, role, time ?? null)
    noteTimes(state.summary, alone)
    if (held) return
  }
  let drafts: readonly Draft[] | undefined
  try {
    drafts = draftsOf(record, reader)
  } catch {
    state.summary.problems++
  }
  // Without drafts the reader keeps it as a `native` event.
  if (time && drafts?.length !== 0) noteTime(state.summary, time)
  for (const draft of drafts ?? []) countEvent(state.summary, draft as IonEvent)
  if (onCall) reportCalls(drafts ?? [], keyOf(record, line.offset), time ?? state.summary.updated_at, onCall)
}

function noteModel(state: ScanState): void {
  const { model } = memoryOf(state).reader
  if (model) state.summary.model = model
}

function noteTimes(summary: GrowingSummary, times: readonly (string | null)[]): void {
  for (const time of times) if (time) noteTime(summary, time)
}

function memoryOf(state: ScanState): Memory {
  return state.memory as Memory
}

/** If this is the end, events that still wait for their item have none. */
function summary(state: ScanState): Summary {
  const ended = { ...state.summary }
  const waiting = memoryOf(state).pairing.waiting.map((entry) => entry.value)
  noteTimes(ended, waiting)
  return ended
}

/** None of these becomes a searchable event. */
const silent: ReadonlySet<string> = new Set([
  'session_meta', 'world_state', 'turn_context', 'token_usage_record', 'event_msg',
]) // biome-ignore format: a list

function passages(line: Line): readonly Passage[] {
  if (silent.has(envelopeOf(line)?.type ?? '')) return []
  const parsed = parseLine(line)
  if (parsed === 'torn' || parsed === 'blank' || 'problem' in parsed) return []
  const { record } = parsed
  const drafts = attempt(() => draftsOf(record, newMemory())) ?? []
  return draftPassages(drafts, keyOf(record, line.offset), record.timestamp)
}
