import type { TokenUsage } from '../events/schema.ts'

/** A session in a list: the documented JSON of `ion sessions --json`. */
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
  /** Ion has its own copy. */
  readonly archived: boolean
  /** Only Ion has it: the agent has deleted it, or it was pruned or imported. */
  readonly only_in_archive: boolean
  /** A process has it open now; null if the agent leaves no trace of that. */
  readonly live: boolean | null
  readonly problems: number
  /** Set for sub-agent sessions, which are not listed by default. */
  readonly parent_session: string | null
  readonly forked_from: string | null
  /** Archived by the user in the agent. */
  readonly hidden: boolean
}

export interface SessionFilter {
  readonly agents?: readonly string[]
  /** Only this project (its top-level folder) and folders below it. */
  readonly project?: string
  readonly since?: Date
  readonly limit?: number
  /** Words that must all be in the title, the path, the agent or the id. */
  readonly words?: readonly string[]
  readonly hidden?: boolean
  readonly subAgents?: boolean
  /** Only sessions that no agent has any more. */
  readonly onlyInArchive?: boolean
  /** Only the sub-agent sessions of this session. */
  readonly parent?: string
}
