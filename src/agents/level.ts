import { levels } from './_levels.ts'
import type { Agent } from './agent.ts'

/**
 * How far resuming an agent goes. `full`: every scenario of the proof holds. `partial`: with gaps that are named.
 * `read-only`: Ion reads it, resume is not proven. `none`: there is nothing to resume.
 */
export type ResumeLevel = 'full' | 'partial' | 'read-only' | 'none'

export interface MeasuredLevel {
  readonly level: ResumeLevel
  /** The version that it was measured on; null when it was not. */
  readonly version: string | null
}

/** From the last proof on the real agents (docs/proof.json), never written by hand. */
export function measuredLevel({ id, isArchive }: Pick<Agent, 'id' | 'isArchive'>): MeasuredLevel {
  return levels[id] ?? { level: isArchive ? 'none' : 'read-only', version: null }
}
