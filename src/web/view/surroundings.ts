import type { Row } from '../state/rows.ts'

/**
 * What rows show beside their own data. The chat and the browser of all sessions each pass theirs; its properties may be getters
 * that read signals, and then only the rows that use one are rendered again.
 */
export interface Surroundings {
  readonly agentName: string
  /** The folder that paths are shown relative to. */
  readonly project: string | undefined
  /** The agent is at work: what has no result yet is running. */
  readonly isWorking: boolean
  /** It asks something, and does nothing until that is answered. */
  readonly isAsking: boolean
  /** A time of this machine on the clock with which the transcript is written. */
  readonly transcriptTime: (local: number) => number
  /** The complete result of a call, if it was truncated and then loaded. */
  readonly fullResult: (call: string) => string | undefined
  readonly loadFullResult: (row: Row) => Promise<void>
}
