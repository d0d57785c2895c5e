import type { Located } from './read-session.ts'
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'

/** How up to date an answer is. A stale answer is never given silently. */
export interface Freshness {
  /** Sources whose state was compared with the disk just now, of how many known. */
  readonly checked: number
  readonly known: number
  /** When everything was last compared, ISO; null before the first time. */
  readonly fullCheckAt: string | null
  /** Sessions whose text is not yet in the full-text index. */
  readonly unindexed: number
}

export interface Progress {
  /** What is being done, for a person: `reading sessions`, `indexing text`. */
  readonly phase: string
  readonly done: number
  readonly total: number
}

export interface RefreshOptions {
  /** `hot`: folders and the newest files only, when there are very many. `full`: everything. Default: by number. */
  readonly extent?: 'hot' | 'full'
  /** Only these files, by the paths of their sources: for those who were told what changed. Others are not looked at. */
  readonly paths?: readonly string[]
  /** Also bring the full-text index up to date. */
  readonly text?: boolean
  /** Write little at a time, so that no step takes long; slower on the whole. */
  readonly gentle?: boolean
  readonly onProgress?: (progress: Progress) => void
}

export interface RefreshReport {
  readonly changed: number
  readonly removed: number
  readonly freshness: Freshness
}

/** Something in an agent's store that could not be read when it was last looked at. */
export interface SourceError {
  readonly agent: string
  readonly path: string
  readonly problem: string
}

/** What there is of one agent. */
export interface AgentOverview {
  readonly agent: string
  readonly sessions: number
  readonly bytes: number
  readonly newest: string | null
  readonly problems: number
}

/** The index over all sessions of all agents. Disposable: it can be deleted at any time and is built again. */
export interface Catalog {
  /** Compares with the agents' stores and takes in what changed. A run with nothing new parses no file. */
  refresh(options?: RefreshOptions): RefreshReport
  /**
   * Takes the text of a few sessions into the full-text index, for those who wait for keys in between: at most `limit`,
   * none larger than `maxBytes`. Returns how many such sessions are left.
   */
  indexSome(limit: number, maxBytes: number): number
  sessions(filter?: SessionFilter): SessionRow[]
  count(filter?: SessionFilter): number
  /** By id, unique prefix (4 or more), native id or exact title; throws `not-found`, or `usage` when it is ambiguous. */
  find(reference: string): SessionRow
  /** What is needed to read the session: see readSession. Throws `not-found` when it has gone since. */
  locate(row: Pick<SessionRow, 'id' | 'path'>): Located
  /** Agents that have sessions, the most recently used first. */
  overview(): AgentOverview[]
  /** What could not be read, of all agents. */
  troubles(): SourceError[]
  search(query: SearchQuery): SearchResult
  /** A small remembered fact that may be lost at any time, such as the version of a program. */
  recall(key: string): string | undefined
  remember(key: string, value: string): void
  close(): void
}

/** The same work in small steps, for a process that has other things to do in between. No transaction is open then. */
export interface SteppedCatalog extends Catalog {
  refreshSteps(options?: RefreshOptions): Generator<void, RefreshReport>
  eachSession(filter?: SessionFilter): Generator<SessionRow>
  /** A hit, or nothing, with each step. */
  searchSteps(query: SearchQuery): Generator<SearchHit | undefined, Omit<SearchResult, 'hits'>>
}
