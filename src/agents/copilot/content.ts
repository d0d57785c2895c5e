import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import { imageBlock, tokenUsage, withoutCache } from '../../native/content.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Data } from './records.ts'

/** What a user attached; undefined for a kind that does not fit a message (an issue, a diff, an extension's data). */
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
      return blobBlock(attachment)
    default:
      return undefined
  }
}

/** A tool's result as the model got it. `detailedContent`, the same for the screen, is left out. */
export function resultContent(data: Data): Content {
  const result = asObject(data.result)
  if (!result) return asString(asObject(data.error)?.message) ?? asString(data.error) ?? ''
  const text = asString(result.content) ?? JSON.stringify(result.content ?? '')
  const binary = [...(asArray(result.binaryResultsForLlm) ?? []), ...(asArray(result.contents) ?? [])]
  const images = binary.flatMap((part) => (asObject(part)?.type === 'image' ? (blobBlock(asObject(part)!) ?? []) : []))
  return images.length ? [{ type: 'text', text }, ...images] : text
}

function blobBlock(part: Data): Block | undefined {
  const media_type = asString(part.mimeType)
  return media_type && !media_type.startsWith('image/') ? undefined : imageBlock(media_type, part.data)
}

/** `inputTokens` includes what was read from and written to the cache, with both providers that were measured. */
export function toUsage(usage: Data): TokenUsage {
  return withoutCache(
    tokenUsage(usage, {
      input: 'inputTokens',
      output: 'outputTokens',
      cache_read: 'cacheReadTokens',
      cache_write: 'cacheWriteTokens',
      reasoning: 'reasoningTokens',
    }),
  )
}
