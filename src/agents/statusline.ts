import type { Quota } from './quota.ts'

/** What an agent passes to the program that prints its status line. */
export interface Statusline {
  readonly nativeId: string
  /** As it shows it to the user. */
  readonly model: string | null
  /** What the session cost by the agent's own account, in micro-dollars. */
  readonly cost: number | null
  readonly quotas: readonly Omit<Quota, 'agent' | 'seen_at'>[]
}
