import type { CallEvent } from '../events/model-call.ts'
import type { SessionHead, Summary } from '../events/session.ts'
import type { Line } from '../native/line-cursor.ts'
import { BEGINNING, type Draft, draftId } from '../native/sequencer.ts'
import type { Passage } from './passage.ts'
import { type GrowingSummary, startSummary } from './summarise.ts'

/**
 * The fast path through a large append-only file of lines. It looks at bytes and parses only what it needs, so a first pass
 * over gigabytes takes seconds; when the file has grown it continues where it stopped. A line in any other shape is parsed
 * as JSON, and the conformance suite checks that the results equal those of reading the session.
 */
export interface LineScanner {
  /** False for a session that is more than its file (a fork by reference) or not lines (compressed): those are read. */
  applies?(place: Pick<SessionHead, 'path' | 'format'>): boolean
  /** A state that survives JSON, so that a later run can continue from it. */
  start(): ScanState
  /** Adds one line to the state, and reports the events with `token_usage` that reading it would yield. */
  count(state: ScanState, line: Line, onCall?: (event: CallEvent) => void): void
  summary(state: ScanState): Summary
  /** The texts of one line, as `passageOf` returns them for its events, except for the suffix of an id that is repeated. */
  passages(line: Line): readonly Passage[]
}

/** The counts so far, and whatever else the scanner must remember. Changed in place: it is a hot path. */
export interface ScanState {
  summary: GrowingSummary
  /** JSON, the scanner's own. */
  memory: unknown
}

export function startState(memory: unknown): ScanState {
  return { summary: startSummary(), memory }
}

/**
 * Reports the calls among the drafts of one line. `time`: of the line, or of the last that had one, as the reader gives it. An id
 * that is repeated has no suffix here.
 */
export function reportCalls(
  drafts: readonly Draft[],
  key: string,
  time: string | null,
  onCall: (event: CallEvent) => void,
): void {
  for (const [index, draft] of drafts.entries()) {
    if (!draft.token_usage) continue
    const { token_usage, model, call } = draft
    onCall({
      id: draftId(draft.id, key, index),
      timestamp: time ?? BEGINNING,
      ...(model === undefined ? {} : { model }),
      token_usage,
      ...(call ? { call } : {}),
    })
  }
}
