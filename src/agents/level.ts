import { levels } from './_levels.ts'
import type { Agent } from './agent.ts'

/**
 * How well resuming an agent works. `full`: every story of the proof holds. `partial`: with gaps that are listed.
 * `unproven`: Ion reads and starts it; resuming could not be measured. `none`: there is nothing to resume.
 */
export type ResumeLevel = 'full' | 'partial' | 'unproven' | 'none'

export interface MeasuredLevel {
  readonly level: ResumeLevel
  /** The version that was measured; null when none was. */
  readonly version: string | null
}

/** From the last proof with the real agents (docs/proof.json), never written by hand. */
export function measuredLevel({ id, isArchive }: Pick<Agent, 'id' | 'isArchive'>): MeasuredLevel {
  return levels[id] ?? { level: isArchive ? 'none' : 'unproven', version: null }
}
