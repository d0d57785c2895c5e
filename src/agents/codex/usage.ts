import type { TokenUsage } from '../../events/schema.ts'
import { tokenUsage, withoutCache } from '../../native/content.ts'
import { asObject } from '../../native/narrow.ts'
import type { Payload } from './records.ts'

/** What must be remembered to count each answer once. Survives JSON. */
export interface UsageMemory {
  /** A token_usage_record was seen: from there on token_count only repeats them. */
  recorded: boolean
  /** The sums of the last token_count; the same sums again are the same answer again. */
  total: string
}

/** The usage that a token_usage_record adds. */
export function recordedUsage(payload: Payload, memory: UsageMemory): TokenUsage | undefined {
  memory.recorded = true
  const usage = asObject(payload.usage)
  return usage && toUsage(usage)
}

/** What a token_count event says: the sums so far as JSON (empty where there are none), and the last answer. */
export interface TokenCount {
  readonly total: string
  readonly last: Payload
}

export function tokenCount(payload: Payload): TokenCount | undefined {
  const info = asObject(payload.info)
  const last = asObject(info?.last_token_usage)
  const total = asObject(info?.total_token_usage)
  return last && { last, total: total ? JSON.stringify(total) : '' }
}

/**
 * The usage that a token_count event adds, for files from before token_usage_record. The event is repeated on a resume and
 * with each change of the rate limits, with the same sums.
 */
export function countedUsage(count: TokenCount | undefined, memory: UsageMemory): TokenUsage | undefined {
  if (!count || memory.recorded || (count.total !== '' && count.total === memory.total)) return undefined
  memory.total = count.total
  return toUsage(count.last)
}

/** Codex includes cached input in the input. */
function toUsage(usage: Payload): TokenUsage {
  return withoutCache(
    tokenUsage(usage, {
      input: 'input_tokens',
      output: 'output_tokens',
      cache_read: 'cached_input_tokens',
      cache_write: 'cache_write_input_tokens',
      reasoning: 'reasoning_output_tokens',
    }),
  )
}
