import type { ModelCall, TokenUsage } from '../../events/event.ts'
import { addTokens, noTokens } from '../../events/session.ts'
import { tokenUsage } from '../../native/content.ts'
import { asCount, asObject } from '../../native/narrow.ts'
import { isZero, microDollars, moreThan } from '../../native/usage.ts'
import { hash53 } from '../../platform/hash.ts'
import type { ClaudeRecord } from './records.ts'

/**
 * What must be remembered to count each model call once: every block of an answer is a separate record that repeats its usage, and
 * records may be repeated much later. Survives JSON: the scanner stores it between two passes over a file.
 */
export interface UsageMemory {
  /** All calls, by the hash of their id. */
  readonly seen: number[]
  /** The last of them with what was counted: in some versions the usage grows from block to block. */
  readonly recent: { readonly hash: number; usage: TokenUsage }[]
}

/** The blocks of an answer are close together, but several sub-agents may write into one file at once. */
const RECENT = 64

export function newUsageMemory(): UsageMemory {
  return { seen: [], recent: [] }
}

/** What a record adds to the usage of its call; undefined if nothing. Without an id each record is a call. */
export function addedUsage(memory: UsageMemory, id: string | undefined, usage: TokenUsage): TokenUsage | undefined {
  if (id === undefined) return usage
  const hash = hash53(id)
  const known = memory.recent.findLast((call) => call.hash === hash)
  if (known) {
    const more = moreThan(usage, known.usage)
    if (isZero(more)) return undefined
    known.usage = addTokens(known.usage, more)
    return more
  }
  const seen = seenIn(memory)
  if (seen.has(hash)) return undefined
  seen.add(hash)
  memory.seen.push(hash)
  memory.recent.push({ hash, usage })
  if (memory.recent.length > RECENT) memory.recent.shift()
  return usage
}

const sets = new WeakMap<UsageMemory, Set<number>>()

function seenIn(memory: UsageMemory): Set<number> {
  const known = sets.get(memory) ?? new Set(memory.seen)
  sets.set(memory, known)
  return known
}

/** The same in every file that has the call: forks and resumed sessions copy records with their ids. */
export function callId(
  message: string | undefined,
  request: string | undefined,
  uuid: string | undefined,
): string | undefined {
  if (!message) return uuid || undefined
  return request ? `${message}/${request}` : message
}

export function callOf(id: string | undefined, tier: unknown, dollars?: unknown): ModelCall | undefined {
  const cost = microDollars(dollars)
  if (id === undefined && tier !== 'priority' && tier !== 'flex' && cost === undefined) return undefined
  return {
    ...(id === undefined ? {} : { id }),
    ...(tier === 'priority' || tier === 'flex' ? { tier } : {}),
    ...(cost === undefined ? {} : { cost }),
  }
}

export function toUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  const counts = tokenUsage(usage, {
    input: 'input_tokens',
    output: 'output_tokens',
    cache_read: 'cache_read_input_tokens',
    cache_write: 'cache_creation_input_tokens',
  })
  const { ephemeral_1h_input_tokens } = asObject(usage.cache_creation) ?? {}
  return completeUsage(
    counts,
    asCount(ephemeral_1h_input_tokens),
    asCount(asObject(usage.output_tokens_details)?.thinking_tokens),
  )
}

export function completeUsage(counts: TokenUsage, forAnHour = 0, reasoning = 0): TokenUsage {
  const { input, output, cache_read, cache_write } = counts
  const cache_write_1h = Math.min(forAnHour, cache_write)
  return { input, output, cache_read, cache_write, ...(cache_write_1h > 0 ? { cache_write_1h } : {}), reasoning }
}

/** The sums that a record has beside the calls: of the whole process, and of a sub-agent in the result of its call. */
export function sumsIn(record: ClaudeRecord): TokenUsage[] {
  if (record.type === 'cost-state') return Object.values(asObject(record.modelUsage) ?? {}).map(modelSum)
  const usage = record.type === 'user' ? asObject(asObject(record.toolUseResult)?.usage) : undefined
  return usage ? [toUsage(usage)] : []
}

function modelSum(value: unknown): TokenUsage {
  const sums = asObject(value)
  if (!sums) return noTokens
  const counts = tokenUsage(sums, {
    input: 'inputTokens',
    output: 'outputTokens',
    cache_read: 'cacheReadInputTokens',
    cache_write: 'cacheCreationInputTokens',
  })
  return completeUsage(counts, asCount(sums.cacheCreationEphemeral1hInputTokens), asCount(sums.thinkingTokens))
}
