import { type Item, isProblem } from '../events/item.ts'
import type { TokenUsage } from '../events/schema.ts'
import { noTokens, type Summary, titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'

/** Counts a session by reading it whole: the way of every store that is not large, and the measure for those that are. */
export function summarise(items: Iterable<Item>): Summary {
  let messages = 0
  let tool_calls = 0
  let problems = 0
  let tokens: TokenUsage = noTokens
  let model: string | null = null
  let first_prompt: string | null = null
  let created_at: string | null = null
  let updated_at: string | null = null
  for (const item of items) {
    if (isProblem(item)) {
      problems++
      continue
    }
    const { event } = item
    if (event.token_usage) tokens = addTokens(tokens, event.token_usage)
    if (event.model) model = event.model
    if (event.type === 'user' || event.type === 'assistant') messages++
    if (event.type === 'tool_use') tool_calls++
    if (event.type === 'user' && first_prompt === null) first_prompt = titleFrom(contentText(event.content))
    if (event.type !== 'session_start' && !event.timestamp_guessed) {
      // By their order in the file, not by the clock: a clock may have been set back.
      created_at ??= event.timestamp
      updated_at = event.timestamp
    }
  }
  return { messages, tool_calls, tokens, model, first_prompt, created_at, updated_at, problems }
}

export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    reasoning: a.reasoning + b.reasoning,
  }
}
