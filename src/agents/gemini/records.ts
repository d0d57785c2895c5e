import type { Block, TokenUsage } from '../../events/schema.ts'
import { tokenUsage, withoutCache } from '../../native/content.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'

/** One message of a session, on its own line or inside `$set.messages`; 0.21 to 0.61. */
export interface GeminiMessage {
  readonly id?: unknown
  readonly timestamp?: unknown
  readonly type?: unknown
  /** A string (0.21), one part, or parts. */
  readonly content?: unknown
  /** What the user typed, where `content` is what that was expanded to. */
  readonly displayContent?: unknown
  readonly thoughts?: unknown
  readonly tokens?: unknown
  readonly model?: unknown
  readonly toolCalls?: unknown
}

/** Keys of the metadata line and of `$set` that are known; anything else is kept as `native`. */
export const metadataKeys: ReadonlySet<string> = new Set([
  'sessionId',
  'projectHash',
  'startTime',
  'lastUpdated',
  'kind',
  'summary',
  'memoryScratchpad',
  'messages',
  'directories',
  'activeExtensionName',
  // Written by --session-file.
  'messageCount',
  'userMessageCount',
  'firstUserMessage',
  'hasResumableContent',
])

/** The message types of the conversation; the rest is for the screen. */
export function isConversation(message: GeminiMessage): boolean {
  return message.type === 'user' || message.type === 'gemini'
}

const SETTING_UP = 'This is the Gemini CLI. We are setting up the context for our chat.'

/** The subtype of a text in the user's place that the program wrote. */
export function machineSubtype(text: string): string | undefined {
  if (text.startsWith('<session_context>') || text.startsWith(SETTING_UP)) return 'session_context'
  if (text.startsWith('<hook_context>')) return 'hook_context'
  return undefined
}

/** Prompts that Gemini does not send again when it resumes a session: it takes them for its commands and its own texts. */
export function isSkipped(text: string): boolean {
  return /^\s*(?:[/?]|<(?:session|hook)_context>)/.test(text)
}

/** A part in front of such a prompt in a session that Ion writes, so that Gemini does send it: a space of no width. */
export const GUARD = '\u200b'

/** Gemini compresses a long history into a user message with this element. */
export function isCompaction(text: string): boolean {
  return text.includes('<state_snapshot>') && text.includes('</state_snapshot>')
}

/** Texts that the program writes in the model's place. */
export const machineAnswers: Readonly<Record<string, string>> = {
  'Got it. Thanks for the additional context!': 'compaction_reply',
  'Got it. Thanks for the context!': 'session_context',
  '[The previous response was interrupted before it completed.]': 'interrupted',
}

/** A content as its parts. */
export function partsOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  const parts = asArray(content) ?? (asObject(content) ? [content] : [])
  return parts.flatMap<JsonObject>((part) => (typeof part === 'string' ? { text: part } : (asObject(part) ?? [])))
}

/** Written by Ion with the part that makes Gemini send it. */
export function isGuarded(message: GeminiMessage): boolean {
  return partsOf(message.content)[0]?.text === GUARD
}

/** Texts of a user's message that the user may have typed, joined. */
export function typedText(message: GeminiMessage): string {
  return partsOf(message.displayContent ?? message.content)
    .flatMap((part) => asString(part.text) ?? [])
    .filter((text) => text !== GUARD && machineSubtype(text) === undefined && !isCompaction(text))
    .join('\n')
}

/** Text, image or file; undefined for anything else. */
export function toBlock(part: JsonObject): Block | undefined {
  if (typeof part.text === 'string') return { type: 'text', text: part.text }
  const inline = asObject(part.inlineData)
  if (inline) {
    const data = asString(inline.data)
    const media_type = asString(inline.mimeType) ?? null
    const bytes = data ? { data } : {}
    if (media_type === null || media_type.startsWith('image/')) return { type: 'image', media_type, ...bytes }
    return { type: 'file', path: asString(inline.displayName) || 'unnamed', media_type, ...bytes }
  }
  const file = asObject(part.fileData)
  const path = asString(file?.fileUri)
  return file && path ? { type: 'file', path, media_type: asString(file.mimeType) ?? null } : undefined
}

/** `input` includes what came from the cache, `output` does not include thoughts. */
export function usageOf(tokens: unknown): TokenUsage | undefined {
  const counts = asObject(tokens)
  if (!counts) return undefined
  const names = { input: 'input', output: 'output', cache_read: 'cached', reasoning: 'thoughts' }
  const usage = withoutCache(tokenUsage(counts, names))
  const tool = asCount(counts.tool) ?? 0
  return { ...usage, input: usage.input + tool, output: usage.output + usage.reasoning }
}
