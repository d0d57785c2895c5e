import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'
import type { Data } from './records.ts'

/** What a user attached; undefined for a kind that has no place in a message (an issue, a diff, an extension's data). */
export function attachmentBlock(value: unknown): Block | undefined {
  const attachment = asObject(value) ?? {}
  const media_type = asString(attachment.mimeType) ?? null
  switch (attachment.type) {
    case 'file':
    case 'directory': {
      const path = asString(attachment.path)
      return path ? { type: 'file', path, media_type } : undefined
    }
    case 'selection': {
      const path = asString(attachment.filePath)
      return path ? { type: 'file', path, media_type: null } : undefined
    }
    case 'blob':
      return imageBlock(attachment)
    default:
      return undefined
  }
}

/** A tool's answer as the model got it. `detailedContent`, the same for the screen, is left out. */
export function resultContent(data: Data): Content {
  const result = asObject(data.result)
  if (!result) return asString(asObject(data.error)?.message) ?? asString(data.error) ?? ''
  const text = asString(result.content) ?? JSON.stringify(result.content ?? '')
  const binary = [...(asArray(result.binaryResultsForLlm) ?? []), ...(asArray(result.contents) ?? [])]
  const images = binary.flatMap((part) => (asObject(part)?.type === 'image' ? (imageBlock(asObject(part)!) ?? []) : []))
  return images.length ? [{ type: 'text', text }, ...images] : text
}

function imageBlock(part: Data): Block | undefined {
  const media_type = asString(part.mimeType) ?? null
  if (media_type && !media_type.startsWith('image/')) return undefined
  const data = asString(part.data)
  return { type: 'image', media_type, ...(data ? { data } : {}) }
}

/** `inputTokens` counts what was read from and written to the cache, on both wires that were measured. */
export function toUsage(usage: Data): TokenUsage {
  const cache_read = asCount(usage.cacheReadTokens) ?? 0
  const cache_write = asCount(usage.cacheWriteTokens) ?? 0
  return {
    input: Math.max(0, (asCount(usage.inputTokens) ?? 0) - cache_read - cache_write),
    output: asCount(usage.outputTokens) ?? 0,
    cache_read,
    cache_write,
    reasoning: asCount(usage.reasoningTokens) ?? 0,
  }
}
