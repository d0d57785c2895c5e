import type { Role } from '../../agents/passage.ts'
import type { SessionRow } from '../session-row.ts'
import type { Range } from './term.ts'
import type { TextQuery } from './text-query.ts'

/** States that `is:` asks for. */
export const states = ['archived', 'live', 'pinned', 'hidden', 'sub-agent'] as const
export type State = (typeof states)[number]

/** Everything that was asked for must hold; of several values of one filter, one must. */
export interface SearchQuery extends TextQuery {
  readonly agents: readonly string[]
  readonly roles: readonly Role[]
  /** Names of tools. */
  readonly tools: readonly string[]
  /** Parts of paths that a tool call has in its input. */
  readonly files: readonly string[]
  /** Parts of titles, of the names of projects' folders, and of names of models. */
  readonly titles: readonly string[]
  readonly projects: readonly string[]
  readonly models: readonly string[]
  /** As `parseTag` gives them. */
  readonly tags: readonly string[]
  readonly states: readonly State[]
  readonly since?: Date
  readonly before?: Date
  /** Only sessions whose cwd is this folder or below it. */
  readonly folder?: string
  readonly order: 'newest' | 'rank'
  readonly limit: number
}

export interface SearchHit {
  readonly session: SessionRow
  readonly role: Role
  /** The event that matches, as `ion show <session>#<event>` takes it; null for a title, tag or note. */
  readonly event: string | null
  readonly timestamp: string
  /** The text around the match, on one line, with the matching ranges. */
  readonly snippet: string
  readonly marks: readonly Range[]
  /** The agent no longer has this text; Ion's archive does. */
  readonly only_in_archive: boolean
  /** The number of other matches in the same session. */
  readonly more: number
}

/** A session, or a part of one, that could not be searched. */
export interface Unsearched {
  readonly agent: string
  readonly path: string
  readonly problem: string
}

export interface SearchSummary {
  /** The number of sessions that were searched; how many of them are sub-agents', and archived in their agents. */
  readonly searched: number
  readonly sub_agents: number
  readonly hidden: number
  readonly unsearched: readonly Unsearched[]
  /** There may be more: the limit was reached before all sessions were searched. */
  readonly isCut: boolean
}

export interface SearchResult extends SearchSummary {
  readonly hits: readonly SearchHit[]
}
