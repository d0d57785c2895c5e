import type { ProblemCode } from '../events/item.ts'
import type { Calls } from './calls/calls.ts'
import type { ListPage, PageCursor, ProjectCount } from './list-page.ts'
import type { ArchivedLog, Located } from './read-session.ts'
import type { SearchHit, SearchQuery, SearchResult, SearchSummary } from './search/query.ts'
import type { SessionFilter, SessionRow } from './session-row.ts'
import type { Identified } from './short-id.ts'

/** How up to date an answer is. A stale answer is never given silently. */
export interface Freshness {
  /** Sources that were compared with the disk just now, and how many are known. */
  readonly checked: number
  readonly known: number
  /** When everything was last compared, ISO; null before the first time. */
  readonly fullCheckAt: string | null
}

export interface Progress {
  /** What is being done, as shown to the user: `reading sessions`. */
  readonly phase: string
  readonly done: number
  readonly total: number
}

export interface RefreshOptions {
  /** `hot`: folders and the newest files only, when there are very many. `full`: everything. Default: by number. */
  readonly extent?: 'hot' | 'full'
  /** Only these sources, by their paths: for callers that know what changed. */
  readonly paths?: readonly string[]
  /** Do not read the sessions to count and summarise them: enough to find one. Only for an index in memory. */
  readonly headsOnly?: boolean
  readonly onProgress?: (progress: Progress) => void
}

export interface RefreshReport {
  readonly changed: number
  readonly removed: number
  readonly freshness: Freshness
}

/** Something in an agent's store that could not be read the last time. */
export interface SourceError {
  readonly agent: string
  readonly path: string
  readonly problem: string
  readonly code: ProblemCode
  /** The system's error code, such as `EACCES`. */
  readonly errno: string | null
}

/** How many sessions there are, in the same parts for everyone who counts them. */
export interface SessionTotals {
  /** Those that are listed by default. */
  readonly sessions: number
  /** Of these, those that no agent has any more. */
  readonly only_in_archive: number
  /** Further sessions: of sub-agents, and archived by the user in the agent. */
  readonly sub_agents: number
  readonly hidden: number
}

/** Sessions that a list does not contain. */
export type FurtherSessions = Pick<SessionTotals, 'sub_agents' | 'hidden'>

/** All sessions of one agent in numbers. */
export interface AgentOverview extends SessionTotals {
  readonly agent: string
  /** In the agent's store. */
  readonly bytes: number
  readonly newest: string | null
  /** Records that could not be read. */
  readonly problems: number
}

/** A session that a tool call of another one started. */
export interface SubAgent {
  readonly id: string
  readonly title: string | null
  /** The id of the tool call. */
  readonly call: string
}

/** What reading a session asks; see open-session.ts. */
export type SessionLookup = Pick<Catalog, 'locate' | 'locateArchived' | 'subAgents' | 'shortIds'>

/** What a list of sessions asks; see open-list.ts. */
export type SessionList = Pick<Catalog, 'sessions' | 'has' | 'further' | 'shortIds' | 'overview' | 'sourceErrors'>

/** The index of all sessions of all agents. Disposable: it can be deleted at any time and is rebuilt. */
export interface Catalog {
  /** Compares the agents' stores with the index and updates it. A run with nothing new parses no file. */
  refresh(options?: RefreshOptions): RefreshReport
  sessions(filter?: SessionFilter): SessionRow[]
  /** The sessions after `after`, the last one of the page before. */
  page(filter: SessionFilter & { readonly limit: number }, after?: PageCursor): ListPage
  /** The same without the counts. */
  pageRows(filter: SessionFilter & { readonly limit: number }, after?: PageCursor): ListPage['rows']
  /** Whether another agent has a session of the same id: then only `agent:id` names it. */
  isIdShared(session: Pick<SessionRow, 'id' | 'agent'>): boolean
  /** The most recently used projects, with the number of sessions that a list has of each. */
  projects(limit: number): ProjectCount[]
  has(filter?: SessionFilter): boolean
  count(filter?: SessionFilter): number
  /**
   * By id, native id, or title, or the unique beginning of one of them (4 characters or more); throws `not-found`, or
   * `usage` if it is ambiguous.
   */
  find(reference: string): SessionRow
  /** Prefixes of ids that `find` resolves, for sessions that are shown together; see `shortIds` in short-id.ts. */
  shortIds(sessions: readonly Identified[]): (session: Identified) => string
  /** What readSession needs to read the session. Throws `not-found` if it no longer exists. */
  locate(row: Pick<SessionRow, 'id' | 'path'>): Located
  /** Ion's archived log of the session, which is the session itself if only the archive has it; undefined if it was not archived. */
  locateArchived(row: Pick<SessionRow, 'id' | 'agent'>): ArchivedLog | undefined
  /** The sessions that were started by tool calls of this one. */
  subAgents(row: Pick<SessionRow, 'id'>): SubAgent[]
  /** Agents that have sessions, the most recently used first. */
  overview(): AgentOverview[]
  totals(filter?: SessionFilter): SessionTotals
  /** Those of sub-agents and hidden ones, of the sessions that the filter selects otherwise. Takes less than `totals`. */
  further(filter?: SessionFilter): FurtherSessions
  /** What could not be read, for all agents. */
  sourceErrors(): SourceError[]
  /** Questions about the model calls of all sessions. Asked again from the beginning if the index had to be rebuilt. */
  calls<T>(questions: (calls: Calls) => T): T
  search(query: SearchQuery): SearchResult
  /** From now on notices go there; returns where they went before. */
  redirectNotices(to: (line: string) => void): (line: string) => void
  /** Why the index is in memory although it should be on disk; undefined if it is not. */
  unusable(): { readonly reason: string; readonly hint?: string | undefined } | undefined
  close(): void
}

/** The same work in small steps, for a process with other work to do in between. No transaction is open then. */
export interface SteppedCatalog extends Catalog {
  refreshSteps(options?: RefreshOptions): Generator<void, RefreshReport>
  eachSession(filter?: SessionFilter): Generator<SessionRow>
  /** Each step yields a hit or undefined; there is at least one for each session, of which `onSearched` counts those done. */
  searchSteps(
    query: SearchQuery,
    onSearched?: (done: number, total: number) => void,
  ): Generator<SearchHit | undefined, SearchSummary>
}
