import type { SessionRow } from '../catalog/session-row.ts'
import type { Extent } from './measure.ts'

/** The documented JSON of `ion storage --json` (docs/storage.md). Fields may be added, but not removed. */
export type StorageLine = AgentLine | ProjectLine | SessionLine | DeletionLine | DiskLine | IonLine

export interface AgentLine extends Omit<Extent, 'bytes'> {
  readonly kind: 'agent'
  readonly agent: string
  readonly title: string
  /** In its store and listed by default. */
  readonly sessions: number
  /** Further sessions in its store: of sub-agents, and archived by the user in the agent. */
  readonly sub_agents: number
  readonly hidden: number
  /** Not in its store any more, and not part of any size. */
  readonly only_in_archive: number
  /** Of its sessions, from the index. */
  readonly bytes: number
  /** Of the sessions used in the last 7 and 30 days. */
  readonly bytes_7d: number
  readonly bytes_30d: number
  /** Of everything in the agent's folders. */
  readonly disk_bytes: number
  /** Existing data folders. */
  readonly paths: readonly string[]
  /** The agent's own rule for deleting sessions; null when it has none, or when it is turned off. */
  readonly retention: RetentionRule | null
}

export interface RetentionRule {
  readonly days: number
  readonly setting: string
  readonly counts: 'file time' | 'last update'
  readonly danger: string | null
  /** Sessions that it may delete now, and within a week (including those). */
  readonly due: number
  readonly due_7d: number
}

export interface ProjectLine {
  readonly kind: 'project'
  /** Null for sessions without a folder. */
  readonly project: string | null
  readonly agents: readonly string[]
  /** Listed by default; the sizes are those of all. */
  readonly sessions: number
  readonly bytes: number
  readonly bytes_7d: number
  readonly bytes_30d: number
}

type SessionFields = Pick<SessionRow, 'id' | 'agent' | 'title' | 'project' | 'bytes' | 'archived'>

export interface SessionLine extends SessionFields, Pick<SessionRow, 'updated_at' | 'path'> {
  readonly kind: 'session'
}

export interface DeletionLine extends SessionFields {
  readonly kind: 'deletion'
  /** The agent deletes it at a start after this time. */
  readonly deleted_after: string
  /** 0: at its next start. */
  readonly days_left: number
}

export interface DiskLine {
  readonly kind: 'disk'
  readonly agent: string
  readonly path: string
  /** Number of the file system; equal for paths that share one. */
  readonly device: number
  /** Null when the file system does not report it. */
  readonly free_bytes: number | null
  readonly total_bytes: number | null
  readonly minimum_bytes: number
  readonly enough: boolean | null
}

export interface IonLine extends Extent {
  readonly kind: 'ion'
  readonly part: 'sessions' | 'vault' | 'tasks' | 'catalog' | 'other'
  readonly path: string
}
