import type { IonEvent } from '../events/schema.ts'
import { addTokens, noTokens, type SessionHead, type Summary, titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import type { LineCursor } from '../native/line-cursor.ts'
import type { Passage } from './passage.ts'

/**
 * The fast way through a large append-only file of lines. It looks at bytes and parses only what it needs, so a first
 * look at gigabytes takes seconds; it may go on where it stopped when the file has grown. Whatever is not in the shape
 * it expects it parses as JSON, and the conformance suite holds it to the same answers as reading the whole session.
 */
export interface LineScanner {
  /** False for a session that is more than its file (a fork by reference) or not lines (compressed): those are read. */
  applies?(head: SessionHead): boolean
  /** A state that survives JSON, so that a later run can go on from it. */
  start(): ScanState
  /** Takes one line into account. */
  count(state: ScanState, line: LineCursor): void
  summary(state: ScanState): Summary
  /** The texts of one line for the index, as `passageOf` would give them for the events of that line. */
  passages(line: LineCursor): readonly Passage[]
}

/** What counting has found so far, and whatever else the scanner must remember. Changed in place: it is a hot path. */
export interface ScanState {
  summary: { -readonly [K in keyof Summary]: Summary[K] }
  /** JSON, the scanner's own. */
  memory: unknown
}

export function startState(memory: unknown): ScanState {
  const nothing = { messages: 0, tool_calls: 0, tokens: noTokens, problems: 0 }
  return { summary: { ...nothing, model: null, first_prompt: null, created_at: null, updated_at: null }, memory }
}

/** A sign of life at that time. By order in the file, not by the clock. */
export function touch({ summary }: ScanState, time: string): void {
  summary.created_at ??= time
  summary.updated_at = time
}

/** Counts what a parsed line says, as `summarise` counts events; the time is told by `touch`. */
export function countEvent({ summary }: ScanState, event: IonEvent): void {
  if (event.type === 'user' || event.type === 'assistant') summary.messages++
  if (event.type === 'tool_use') summary.tool_calls++
  if (event.token_usage) summary.tokens = addTokens(summary.tokens, event.token_usage)
  if (event.model) summary.model = event.model
  if (event.type === 'user') summary.first_prompt ??= titleFrom(contentText(event.content))
}
