import type { IonEvent, SessionStart, TokenUsage } from '../events/schema.ts'
import { addTokens, noTokens, titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { type Branches, BranchFinder } from './branch.ts'

/** What a document says about its session before the conversation begins: known after reading the session once. */
export interface FirstPass {
  readonly start: SessionStart | undefined
  readonly branches: Branches
  readonly messages: number
  readonly tool_calls: number
  readonly tokens: TokenUsage
  readonly model: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  /** Records of a kind that Ion does not know; a document leaves them out. */
  readonly unknown: number
  /** First lines of the prompts on the main branch, up to MAX_PROMPTS. */
  readonly prompts: readonly string[]
  /** The name that the user gave the session, which is its title then; added by the caller. */
  readonly name?: string | null
  /** The sessions of its sub-agents, where they are stored separately; added by the caller. */
  readonly subAgents?: readonly { readonly id: string; readonly title: string | null }[]
  readonly redacted?: true
}

const MAX_PROMPTS = 400

/** Yields an empty string for each event, see exportSession, and returns the facts. */
export function* firstPass(events: Iterable<IonEvent>): Generator<string, FirstPass, undefined> {
  const finder = new BranchFinder()
  const prompts: { readonly place: number; readonly line: string }[] = []
  let start: SessionStart | undefined
  let [messages, tool_calls, unknown, place] = [0, 0, 0, 0]
  let tokens = noTokens
  let model: string | null = null
  let created_at: string | null = null
  let updated_at: string | null = null
  for (const event of events) {
    finder.add(event)
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
    if (event.type === 'user' && event.sub_agent === undefined && prompts.length < MAX_PROMPTS) {
      prompts.push({ place, line: titleFrom(contentText(event.content)) ?? '' })
    }
    place++
    yield ''
  }
  const branches = finder.finish()
  return {
    start,
    branches,
    messages,
    tool_calls,
    tokens,
    model,
    created_at,
    updated_at,
    unknown,
    prompts: prompts.filter((prompt) => branches.isMain(prompt.place)).map((prompt) => prompt.line),
  }
}
