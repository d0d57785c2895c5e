import type { Role } from '../agents/passage.ts'
import type { SessionRow } from './session-row.ts'

export interface SearchQuery {
  /** Words and phrases that must all match, in the order typed. A phrase has spaces. */
  readonly terms: readonly string[]
  readonly excluded: readonly string[]
  readonly agents: readonly string[]
  readonly roles: readonly Role[]
  readonly since?: Date
  /** A folder: sessions whose cwd is it or below it. */
  readonly folder?: string
  readonly order: 'newest' | 'rank'
  /** Also read what the index cut. */
  readonly deep: boolean
  readonly limit: number
}

export interface SearchHit {
  readonly session: SessionRow
  readonly role: Role
  readonly timestamp: string
  /** The place that matched, on one line, with the words that matched as ranges of it. */
  readonly snippet: string
  readonly marks: readonly (readonly [start: number, end: number])[]
  /** How many more places matched in the same session. */
  readonly more: number
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** Sessions whose text was searched, and those that are not in the index yet. */
  readonly searched: number
  readonly unindexed: number
}
