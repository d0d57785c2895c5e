import type { TokenUsage } from './schema.ts'

/** What is known about a session without reading its body. */
export interface SessionHead {
  /** A UUID: the native id if that is one (see id.ts). */
  readonly id: string
  readonly agent: string
  readonly native_id: string
  /** The file or database that holds it; with `native_id` it is all an adapter needs to find the session again. */
  readonly path: string
  /** A name that the user or the agent gave, else the first line of the first prompt, else null. */
  readonly title: string | null
  /** The name that Ion gave it at its start, to find it again; not a title. */
  readonly name?: string
  readonly cwd: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly model: string | null
  /** Size of its files; for rows of a database, of its texts if that is cheap to determine, else 0. */
  readonly bytes: number
  /** Changes whenever the body changes; opaque. */
  readonly revision: string
  readonly agent_version: string | null
  /** Which of the agent's storage formats it is in, e.g. `rollout-jsonl`. */
  readonly format: string
  readonly resumable: boolean
  readonly git?: { readonly branch?: string; readonly commit?: string }
  readonly forked_from?: string
  readonly parent_session?: string
  readonly spawned_by?: string
  /** Archived by the user in the agent; hidden there, still readable here. */
  readonly hidden?: boolean
}

/** What reading the body adds. */
export interface Summary {
  /** `user` and `assistant` events. */
  readonly messages: number
  readonly tool_calls: number
  readonly tokens: TokenUsage
  readonly model: string | null
  /** First line of the first prompt. */
  readonly first_prompt: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly problems: number
}

export const noTokens: TokenUsage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  const forAnHour = (a.cache_write_1h ?? 0) + (b.cache_write_1h ?? 0)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    ...(forAnHour > 0 ? { cache_write_1h: forAnHour } : {}),
    reasoning: a.reasoning + b.reasoning,
  }
}

const TITLE_LENGTH = 120
const TITLE_WITHIN = 4000
const FIRST_LINE = /\S[^\n]*/

/** The first line that is not blank, cut to a title's length; null if there is none. */
export function titleFrom(text: string): string | null {
  const [line] = FIRST_LINE.exec(text.slice(0, TITLE_WITHIN)) ?? []
  if (line === undefined) return null
  const title = line.replace(/\s+/g, ' ').trimEnd()
  // Most are short: characters are counted only where there may be too many.
  if (title.length <= TITLE_LENGTH) return title
  const letters = [...title]
  return letters.length > TITLE_LENGTH ? `${letters.slice(0, TITLE_LENGTH - 1).join('')}…` : title
}

/** As it is named in a message: `1f2e3d4c (Fix the refund test)`. */
export function sessionName({ id, title }: Pick<SessionHead, 'id' | 'title'>): string {
  return `${id} (${title ?? 'untitled'})`
}
