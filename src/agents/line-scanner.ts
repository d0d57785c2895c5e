import type { SessionHead, Summary } from '../events/session.ts'
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

/** What counting has found so far, and whatever else the scanner must remember. */
export interface ScanState {
  summary: Summary
  /** JSON, the scanner's own. */
  memory: unknown
}
