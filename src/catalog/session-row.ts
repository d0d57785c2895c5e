import type { TokenUsage } from '../events/schema.ts'
import type { Marks } from '../organise/marks.ts'

/** A session in a list: the documented JSON of `ion sessions --json`. */
export interface SessionRow {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  /** The name that the user gave it with Ion, else the agent's title. */
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
  /** Ids of sessions that `ion handover` and `ion fork` made from it. */
  readonly handed_over_to: readonly string[]
  /** Archived by the user in the agent. */
  readonly hidden: boolean
  /** What the user added with `ion rename`, `ion tag`, `ion pin` and `ion note`. */
  readonly name: string | null
  readonly tags: readonly string[]
  readonly pinned: boolean
  readonly note: string | null
}

/** A row without what Ion knows about the session beside its agent, with it. */
export function withMarks<T extends Pick<SessionRow, 'title' | 'forked_from'>>(
  row: T,
  { name, tags, pinned, note, origin, handed_over_to }: Marks,
): T & Omit<Marks, 'origin'> {
  const forked_from = row.forked_from ?? origin?.id ?? null
  return { ...row, title: name ?? row.title, forked_from, handed_over_to, name, tags, pinned, note }
}

export interface SessionFilter {
  readonly agents?: readonly string[]
  /** Only this project (its top-level folder) and folders below it. */
  readonly project?: string
  readonly since?: Date
  /** Not included. */
  readonly until?: Date
  readonly limit?: number
  /** Words that must all be in the title, the path, the agent, the id, the given name or the tags. */
  readonly words?: readonly string[]
  readonly hidden?: boolean
  readonly subAgents?: boolean
  /** Only sessions that no agent has any more. */
  readonly onlyInArchive?: boolean
  /** Only the sub-agent sessions of this session. */
  readonly parent?: string
  /** Only sessions with one of these tags. */
  readonly tags?: readonly string[]
  readonly pinned?: boolean
}
