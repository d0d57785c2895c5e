import type { TokenUsage } from '../events/schema.ts'

/** A session as lists give it: the documented JSON of `ion sessions --json`. */
export interface SessionRow {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  readonly project: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly messages: number
  readonly tool_calls: number
  readonly tokens: TokenUsage
  readonly model: string | null
  readonly bytes: number
  readonly path: string
  readonly resumable: boolean
  /** Ion has a copy of its own. */
  readonly archived: boolean
  /** A process has it open now; null where the agent leaves no mark by which one could tell. */
  readonly live: boolean | null
  readonly problems: number
  /** Set for what a sub-agent did; such sessions are left out of lists unless asked for. */
  readonly parent_session: string | null
  readonly forked_from: string | null
  /** Put away by the user in the agent itself. */
  readonly hidden: boolean
}

export interface SessionFilter {
  readonly agents?: readonly string[]
  /** Only this project (its top-level folder) and folders below it. */
  readonly project?: string
  readonly since?: Date
  readonly limit?: number
  /** Words that must all stand in the title, the path, the agent or the id. */
  readonly words?: readonly string[]
  readonly hidden?: boolean
  readonly subAgents?: boolean
  /** What the sub-agents of this session did. */
  readonly parent?: string
}
