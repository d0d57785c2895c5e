import type { Role } from '../agents/passage.ts'
import type { SessionRow } from './session-row.ts'

export interface SearchQuery {
  /** Words and phrases that must all match, in the order typed. A phrase contains spaces. */
  readonly terms: readonly string[]
  readonly excluded: readonly string[]
  readonly agents: readonly string[]
  readonly roles: readonly Role[]
  readonly since?: Date
  /** Only sessions whose cwd is this folder or below it. */
  readonly folder?: string
  readonly order: 'newest' | 'rank'
  /** Also search text that is too long for the index. */
  readonly deep: boolean
  readonly limit: number
}

export interface SearchHit {
  readonly session: SessionRow
  readonly role: Role
  readonly timestamp: string
  /** The text around the match, on one line, with the matching ranges. */
  readonly snippet: string
  readonly marks: readonly (readonly [start: number, end: number])[]
  /** The agent no longer has this text; Ion's archive does. */
  readonly only_in_archive: boolean
  /** The number of other matches in the same session. */
  readonly more: number
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** The number of sessions that were searched, and that are not indexed yet. */
  readonly searched: number
  readonly unindexed: number
}
