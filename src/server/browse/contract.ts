import type { TokenUsage } from '../../events/event.ts'
import type { Part, ToolResult } from '../contract.ts'

/**
 * What `ion web` answers under /api. Types only: server and page are built and tested together, and no other program is promised
 * this form. Times are ISO strings, money is whole micro-dollars, and a value that is not known is null, never 0.
 */

/** A session in the list: as little as a row shows, since a page of them is sent at once. */
export interface ListedSession {
  /** What names it and no other: its id, with its agent (`agent:id`) where another agent has a session of the same id. */
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly project: string | null
  readonly updated_at: string | null
  readonly messages: number
  readonly model: string | null
  /** What is left out is false or empty. */
  readonly only_in_archive?: true
  /** Records that could not be read. */
  readonly problems?: number
  /** It used tokens of its model, for which Ion knows no price: its cost is not complete. */
  readonly unpriced?: true
  readonly pinned?: true
  readonly hidden?: true
  readonly tags?: readonly string[]
  readonly parent?: string
  /** When its name, tags, pin or note were changed last. */
  readonly marked_at?: string
  readonly live?: LiveState
}

/** A session that is used now, and how that is known. */
export interface LiveState {
  readonly state: 'working' | 'waiting' | 'open'
  /** In a few words: `wrote in the last minute`, `asks: Run this command?`, `open in process 4711`. */
  readonly why: string
  /** The task that Ion runs, whose chat is at /live/<task>/. */
  readonly task?: string
}

/** Query: agent, project, since, until, archived, tag, pinned, hidden, subagents, words, after (cursor), limit. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[]
  /** For the next page; null at the end. */
  readonly next: string | null
  /** All that the filter selects. */
  readonly total: number
  /** What the filter leaves out, so that nobody takes the list for everything. */
  readonly further: { readonly sub_agents: number; readonly hidden: number }
}

/** What the filters can be set to. */
export interface Filters {
  readonly agents: readonly { readonly id: string; readonly title: string; readonly sessions: number }[]
  readonly projects: readonly { readonly path: string; readonly sessions: number }[]
  readonly tags: readonly string[]
}

/** One session, beside its transcript. */
export interface SessionDetail extends ListedSession {
  readonly native_id: string
  readonly agent_title: string
  readonly cwd: string | null
  readonly cwd_exists: boolean
  readonly created_at: string | null
  readonly tool_calls: number
  readonly tokens: TokenUsage
  readonly bytes: number
  readonly path: string
  readonly archived: boolean
  readonly resumable: boolean
  readonly forked_from: string | null
  readonly name: string | null
  readonly note: string | null
  /** For a terminal, complete: `cd … && ion --resume …`. */
  readonly resume_command: string
  readonly problems: number
  readonly sub_agents: readonly ListedSession[]
}

/** How much of a session Ion understood; the session is read to count it. */
export interface SessionCoverage {
  readonly events: number
  readonly native: number
  readonly bad: number
}

/** One row of a transcript: an event, a tool call with its result. */
export interface TranscriptEntry {
  /** The event's id: for links. */
  readonly event: string
  readonly role: 'user' | 'agent' | 'system'
  readonly time: string | null
  readonly part: Part
  /** Of a tool call, if it has one by now. */
  readonly result?: ToolResult
  readonly model?: string
  readonly tokens?: TokenUsage
  /** The sub-agent that made it, where its events are in the parent's own file. */
  readonly within?: string
  /** Text or input was cut, as a result with `truncated`: GET /api/sessions/<id>/entries/<event> has all of it. */
  readonly truncated?: true
  /** Started by this call. */
  readonly sub_agent?: { readonly id: string; readonly title: string | null }
}

/**
 * Query: before or after (cursors; after=start asks for the beginning), around (an event), limit; without any, the end. With thinking=1 also the model's thinking, with
 * system=1 what the agent added and records that Ion does not know, with branch=all what is on branches that were left.
 */
export interface TranscriptWindow {
  readonly entries: readonly TranscriptEntry[]
  /** Cursors for what is before and after; null where nothing is. */
  readonly before: string | null
  readonly after: string | null
  /** Of the session, when it was read for this window; see `ready`. */
  readonly version: string
}

/** The rail: the prompts of a session, in order. */
export interface PromptList {
  readonly prompts: readonly { readonly event: string; readonly time: string | null; readonly text: string }[]
  /** A large session: only prompts after this cursor were looked for. Those before it: ?before=<from>. */
  readonly from: string | null
}

/**
 * GET /api/sessions/<id>/raw: the events, one line of JSON each. Query: after (a cursor), around (an event), limit; without any, from
 * the beginning.
 */
export interface RawWindow {
  /** A line of more than 64 KB is cut. */
  readonly lines: readonly string[]
  /** Null at the end. */
  readonly after: string | null
}

/** One edit of a file, from the input of a tool. */
export interface FileEdit {
  readonly event: string
  readonly time: string | null
  /** Of the main branch, from 1; null on a branch that was left. */
  readonly turn: number | null
  /** Unified, without headers. */
  readonly diff: string
  /** `written`: the complete file; what it was before is not known. */
  readonly kind: 'edited' | 'written' | 'deleted'
  /** The diff is only its beginning. */
  readonly is_cut?: true
}

/** Query: turn, as the command line takes it: `3`, `3..` (since prompt 3), `3..5`, `-1`. */
export interface SessionChanges {
  readonly files: readonly {
    readonly path: string
    readonly added: number
    readonly removed: number
    readonly edits: readonly FileEdit[]
  }[]
  /** How many turns the session has. */
  readonly turns: number
  /** Git's own view of the folder now; null where there is no repository. */
  readonly git: { readonly diff: string; readonly is_cut: boolean } | null
}

export interface SearchHitEntry {
  readonly session: ListedSession
  readonly event: string | null
  readonly snippet: string
  /** Places in the snippet. */
  readonly marks: readonly (readonly [from: number, to: number])[]
  readonly more: number
}

/** JSON Lines: one `hit` or `progress` per line, at the end `done`. Query: q, agent, project, since, limit. */
export type SearchLine =
  | { readonly hit: SearchHitEntry }
  | { readonly progress: { readonly done: number; readonly total: number } }
  | { readonly done: { readonly searched: number; readonly unsearched: number; readonly is_cut: boolean } }

/** JSON Lines likewise. Query: path. */
export type FilesLine =
  | { readonly session: ListedSession; readonly path: string; readonly edits: readonly FileEdit[] }
  | { readonly done: true }

export interface AgentEntry {
  readonly id: string
  readonly title: string
  readonly installed: string | null
  readonly level: string
  readonly sessions: number
  readonly bytes: number
  readonly newest: string | null
  /** What to know about resuming its sessions, and what reading them loses; empty for nothing. */
  readonly resume_note: string
  readonly limits: string
}

/** Server-sent events of /api/changes?session=…: only when something happened. */
export type ChangeEvent =
  /** Rows of the list that are new or changed, and ids of those that are gone. */
  | { readonly type: 'sessions'; readonly changed: readonly ListedSession[]; readonly removed: readonly string[] }
  /** New and changed entries of the session that is followed. */
  | { readonly type: 'entries'; readonly session: string; readonly entries: readonly TranscriptEntry[] }
  /** It was rewritten: read it again. */
  | { readonly type: 'reset'; readonly session: string }
  /** From now on changes of the session are sent. What was read of it at another version may lack some before that. */
  | { readonly type: 'ready'; readonly session: string; readonly version: string }

/** A change of what the user adds to a session: POST /api/sessions/<id>/marks. */
export interface MarksChange {
  readonly name?: string | null
  readonly pinned?: boolean
  readonly add_tags?: readonly string[]
  readonly remove_tags?: readonly string[]
  readonly note?: string | null
}

/** GET /api/about: what this server can do. Until it has answered, the page offers nothing that writes. */
export interface About {
  readonly version: string
  readonly read_only: boolean
  /** Whether POST /api/sessions/<id>/resume can open a terminal on this machine. */
  readonly terminal: boolean
  /** The user's home, for showing paths with ~. */
  readonly home: string
}

/**
 * GET /api/sessions/<id>/share: the session as redacted Markdown, and what was masked in it. As a download, complete:
 * …/export?redact=1&format=md|html; unmasked …/export?format=md|html|json|jsonl.
 */
export interface SharedSession {
  readonly text: string
  /** The text is only the beginning. */
  readonly is_cut: boolean
  /** What looks random and was not masked: worth a look before it is sent. */
  readonly doubtful: readonly { readonly excerpt: string; readonly length: number }[]
  /** Such as `{ kind: 'secret', count: 2 }`, `{ kind: 'home path', count: 31 }`. */
  readonly masked: readonly { readonly kind: string; readonly count: number }[]
}

/** GET /api/sessions/<id>/handover: agents in which it can be continued, with the command for a terminal. */
export interface HandoverTargets {
  readonly targets: readonly { readonly agent: string; readonly title: string; readonly command: string }[]
  /** To continue a copy in the same agent; null where the agent cannot fork. */
  readonly fork_command: string | null
}

/** POST /api/sessions/<id>/resume: opens a terminal; `in` hands over to another agent, `fork` continues a copy. */
export interface ResumeRequest {
  readonly fork?: boolean
  readonly in?: string
}

/** GET /api/sessions/<id>/usage: what was counted, and what was not. */
export interface SessionUsage {
  /** The last ones. */
  readonly calls: readonly CountedCall[]
  /** Those that are not among them because there are too many. */
  readonly more: number
  /** Of all that were counted. */
  readonly total: {
    readonly calls: number
    readonly tokens: TokenUsage
    readonly cost: number | null
    /** Calls without a known price, which are not part of the cost. */
    readonly unpriced: number
  }
}

/** One model call of a session. `why_not` is null when it was counted. */
export interface CountedCall {
  readonly event: string | null
  readonly time: string | null
  readonly model: string | null
  readonly tokens: TokenUsage
  readonly cost: number | null
  readonly why_not: string | null
}

/** POST /api/sessions/<id>/handover, and …/fork, where `agent` is left out. */
export interface HandoverBody {
  readonly agent?: string
  /** Up to this event. */
  readonly at?: string
  /** Only the report. */
  readonly dry_run?: boolean
}

export interface HandoverAnswer {
  /** `none`: only planned. */
  readonly act: 'none' | 'written' | 'existing' | 'completed'
  readonly mode: 'native' | 'brief'
  readonly reason: string
  /** The new session. */
  readonly id: string | null
  readonly events: {
    readonly kept: number
    readonly changed: number
    readonly shortened: number
    readonly as_text: number
    readonly dropped: number
  }
  readonly lossy: readonly {
    readonly outcome: string
    readonly what: string
    readonly count: number
    readonly reason: string
  }[]
  readonly tokens_estimated: number
  /** To open it in a terminal. */
  readonly resume: string | null
  /** Where the agent accepts no session from outside: what to give it with the first prompt. */
  readonly brief: string | null
}
