import type { IonEvent, SessionStart, TokenUsage } from '../events/schema.ts'
import { addTokens, noTokens, titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { type Branches, BranchSurvey } from './branch.ts'

/** What a document says of its session before it begins: found by reading the session once. */
export interface Survey {
  readonly start: SessionStart | undefined
  readonly branches: Branches
  readonly messages: number
  readonly tool_calls: number
  readonly tokens: TokenUsage
  readonly model: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  /** Records that Ion does not know and that the document therefore leaves out. */
  readonly unknown: number
  /** First lines of the prompts on the main branch; the first few hundred. */
  readonly prompts: readonly string[]
  /** Sessions of the sub-agents that it started, where they are kept apart; added by whoever knows of them. */
  readonly subAgents?: readonly { readonly id: string; readonly title: string | null }[]
  readonly redacted?: true
}

const MOST_PROMPTS = 400

export function survey(events: Iterable<IonEvent>): Survey {
  const branches = new BranchSurvey()
  const prompts: { readonly place: number; readonly line: string }[] = []
  let start: SessionStart | undefined
  let [messages, tool_calls, unknown, place] = [0, 0, 0, 0]
  let tokens = noTokens
  let model: string | null = null
  let created_at: string | null = null
  let updated_at: string | null = null
  for (const event of events) {
    branches.add(event)
    if (event.token_usage) tokens = addTokens(tokens, event.token_usage)
    if (event.model) model = event.model
    if (event.type === 'session_start') start = event
    else if (!event.timestamp_guessed) {
      created_at ??= event.timestamp
      updated_at = event.timestamp
    }
    if (event.type === 'user' || event.type === 'assistant') messages++
    if (event.type === 'tool_use') tool_calls++
    if (event.type === 'native') unknown++
    if (event.type === 'user' && event.sub_agent === undefined && prompts.length < MOST_PROMPTS) {
      prompts.push({ place, line: titleFrom(contentText(event.content)) ?? '' })
    }
    place++
  }
  const found = branches.finish()
  return {
    start,
    branches: found,
    messages,
    tool_calls,
    tokens,
    model,
    created_at,
    updated_at,
    unknown,
    prompts: prompts.filter((prompt) => found.isMain(prompt.place)).map((prompt) => prompt.line),
  }
}
