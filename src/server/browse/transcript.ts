import type { Located } from '../../catalog/read-session.ts'
import type { PromptList, TranscriptEntry, TranscriptWindow } from './contract.ts'
import type { EntryKinds } from './entries.ts'

/** For `after`: the window at the beginning of the session. */
export const START = 'start'

/** Of the window that is asked for. Without a place, the end. */
export interface WindowQuery extends EntryKinds {
  readonly before?: string
  /** A cursor, or `START`. */
  readonly after?: string
  /** An event. */
  readonly around?: string
  readonly limit: number
  /** Also what is on branches that were left. */
  readonly allBranches: boolean
}

/** What happened since the last look. */
export type TranscriptChange =
  | { readonly kind: 'entries'; readonly entries: readonly TranscriptEntry[] }
  /** It was rewritten. */
  | { readonly kind: 'reset' }

export type EntryWindow = Omit<TranscriptWindow, 'version'>

/** The transcript of a session that somebody looks at. */
export interface Transcript {
  /** Undefined if it has no such event, or the cursor does not belong to it. */
  window(query: WindowQuery): Promise<EntryWindow | undefined>
  /** `before`: the cursor of an earlier answer. */
  prompts(before?: string): Promise<PromptList>
  /** Reads what is new, if there is anything. Undefined if nothing has changed. */
  look(located: Located): Promise<TranscriptChange | undefined>
  close(): void
}

/** Of a prompt, for the rail. */
const PROMPT_LENGTH = 200

export function promptOf({ event, time, part }: TranscriptEntry): PromptList['prompts'][number] {
  const text = 'text' in part ? part.text.trim().slice(0, PROMPT_LENGTH) : ''
  return { event, time, text }
}
