import type { TokenUsage } from '../../events/schema.ts'
import { asCount, asObject, asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { errorDraft, partDrafts, typedBlock } from './parts.ts'
import { type Json, modelOf, type OpenCodeMessage } from './records.ts'

/** What a message says: its parts, and its model, tokens and error. */
export function messageDrafts({ info, parts }: OpenCodeMessage): Draft[] | undefined {
  const { role } = info
  if (role !== 'user' && role !== 'assistant') return undefined
  const drafts = role === 'user' ? userDrafts(info, parts) : assistantDrafts(info, parts)
  const created = asObject(info.time)?.created
  return drafts.map((draft) => ({ ...draft, time: draft.time ?? created }))
}

/** What was typed and attached is one event; what OpenCode added follows. */
function userDrafts(info: Json, parts: readonly Json[]): Draft[] {
  const typed = parts.flatMap((part) => typedBlock(part) ?? [])
  const added = parts.filter((part) => !typedBlock(part)).flatMap((part) => partDrafts(part, info))
  const [only] = typed
  if (!only) return added
  const content = typed.length === 1 && only.type === 'text' ? only.text : typed
  return [{ type: 'user', id: asString(info.id), content }, ...added]
}

function assistantDrafts(info: Json, parts: readonly Json[]): Draft[] {
  const drafts = parts.flatMap((part) => partDrafts(part, info))
  const error = asObject(info.error)
  if (error) drafts.push(errorDraft(error))
  const token_usage = usageOf(asObject(info.tokens) ?? {})
  if (drafts.length === 0 && token_usage) drafts.push({ type: 'system', subtype: 'usage', content: null })
  const [first, ...rest] = drafts
  if (!first) return []
  const model = modelOf(info)
  return [{ ...first, ...(model ? { model } : {}), ...(token_usage ? { token_usage } : {}) }, ...rest]
}

/**
 * `input` does not include what came from the cache. Versions that write `total` count reasoning separately from the output,
 * older ones inside it; the sum shows which.
 */
function usageOf(tokens: Json): TokenUsage | undefined {
  const cache = asObject(tokens.cache) ?? {}
  const input = asCount(tokens.input) ?? 0
  const written = asCount(tokens.output) ?? 0
  const reasoning = asCount(tokens.reasoning) ?? 0
  const cache_read = asCount(cache.read) ?? 0
  const cache_write = asCount(cache.write) ?? 0
  const sum = input + written + reasoning + cache_read + cache_write
  if (sum === 0) return undefined
  return { input, output: tokens.total === sum ? written + reasoning : written, cache_read, cache_write, reasoning }
}
