import type { Problem } from '../../events/item.ts'
import type { Block, Content, ModelCall, TokenUsage } from '../../events/schema.ts'
import { groupBlocks, imageBlock, onFirst, toContent, tokenUsage, withoutCache } from '../../native/content.ts'
import { asArray, asObject, asString, requireArray, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { Keyed } from '../../native/translate.ts'
import { microDollars } from '../../native/usage.ts'

/** One message, as a row of `messages` (1.37 to 1.52, schema 13 to 16) or as a line of the legacy JSONL. */
type GooseMessage = {
  readonly role?: string
  readonly created?: unknown
  readonly content?: unknown
  readonly metadata?: GooseItem
  readonly working_dir?: unknown
}

/** A message, or what a session cost beyond what its messages say. Goose's input includes the cached part. */
export type GooseRecord = GooseMessage | { readonly role: 'usage'; readonly rest: Spent }

/** Tokens as Goose counts them, and micro-dollars. */
export interface Spent {
  readonly usage: TokenUsage
  readonly cost: number
}

export function toDrafts(record: GooseRecord, key: string): Draft[] | undefined {
  return 'rest' in record ? [usageDraft(record.rest)] : messageDrafts(record, key)
}

function usageDraft({ usage, cost }: Spent): Draft {
  const call = { ...(cost > 0 ? { cost } : {}), is_sum: true } as const
  return { type: 'system', subtype: 'usage', content: null, token_usage: withoutCache(usage), call }
}

/** What a message says. A row has several items; tool results are in rows of the user. */
function messageDrafts(message: GooseMessage, key: string): Draft[] | undefined {
  const { role, metadata = {} } = message
  // The first line of a legacy file is about the session: its list entry is made from it, and it has the tokens.
  if (role === undefined && message.working_dir !== undefined) return legacyUsage(message)
  if (role !== 'user' && role !== 'assistant') return undefined
  const items = requireArray(message.content, 'content').map((item) => requireObject(item, 'content item'))
  const drafts =
    metadata.turnContext === true
      ? [turnContext(items)]
      : groupBlocks(items, toBlock, (blocks) => textDraft(blocks, role, metadata), itemDraft)
  const spent = spentOn(metadata)
  const model = asString(asObject(metadata.inference)?.requestedModel)
  const timed = drafts.map((draft) => ({ ...draft, time: message.created }))
  return role === 'assistant'
    ? onFirst(timed, model, spent && withoutCache(spent.usage), callOf(message, key, spent))
    : timed
}

/** A fork copies messages with their ids and times. A row without an id is known only by its number in the database. */
function callOf({ created }: GooseMessage, key: string, spent: Spent | undefined): ModelCall | undefined {
  if (!spent) return undefined
  const id = key.startsWith(ROW) ? {} : { id: `${key}/${String(created)}` }
  const call = { ...id, ...(spent.cost > 0 ? { cost: spent.cost } : {}) }
  return Object.keys(call).length > 0 ? call : undefined
}

/** The start of the key of a message without an id. */
export const ROW = 'row-'

function legacyUsage(message: GooseMessage): Draft[] {
  const usage = tokenUsage(message, { input: 'accumulated_input_tokens', output: 'accumulated_output_tokens' })
  return usage.input || usage.output ? [usageDraft({ usage, cost: 0 })] : []
}

type GooseItem = Readonly<Record<string, unknown>>

function turnContext(items: readonly GooseItem[]): Draft {
  return { type: 'system', subtype: 'turn_context', content: textOf(items) }
}

/** What the model sees and the user does not was written by a compaction: a summary, and a fixed note after it. */
function textDraft(blocks: Block[], role: 'user' | 'assistant', metadata: GooseItem): Draft {
  const unseen = metadata.userVisible === false
  const text = textOf(blocks as readonly GooseItem[])
  if (role === 'assistant') {
    return unseen
      ? { type: 'system', subtype: 'compaction_note', content: text }
      : { type: 'assistant', content: blocks }
  }
  if (unseen) return { type: 'compaction', summary: text, replaces: [] }
  return { type: 'user', content: toContent(blocks) }
}

function itemDraft(item: GooseItem): Draft {
  switch (item.type) {
    case 'toolRequest':
    case 'frontendToolRequest':
      return toolUse(item)
    case 'toolResponse':
      return toolResult(item)
    case 'thinking':
      return { type: 'thinking', content: asString(item.thinking) ?? '' }
    case 'redactedThinking':
      return { type: 'system', subtype: 'redacted_thinking', content: null }
    case 'toolConfirmationRequest':
    case 'actionRequired':
    case 'systemNotification':
    case 'error':
      return { type: 'system', subtype: item.type, content: item }
    default:
      return { type: 'native', record: item }
  }
}

function toolUse(item: GooseItem): Draft {
  const id = asString(item.id)
  const call = requireObject(item.toolCall, 'toolCall')
  const value = asObject(call.value)
  // An invalid call has an error in place of its name.
  if (!value) return { type: 'system', subtype: 'bad_tool_call', content: call }
  return { type: 'tool_use', id, name: requireString(value.name, 'toolCall.name'), input: value.arguments ?? {} }
}

function toolResult(item: GooseItem): Draft {
  const result = requireObject(item.toolResult, 'toolResult')
  const value = result.value
  // Legacy files have the content itself as the value.
  const content = asArray(value) ?? asArray(asObject(value)?.content)
  return {
    type: 'tool_result',
    tool_use_id: asString(item.id) ?? '',
    content: content ? resultContent(content) : (asString(result.error) ?? ''),
    is_error: result.status === 'error' || asObject(value)?.isError === true,
  }
}

function resultContent(parts: readonly unknown[]): Content {
  const blocks = parts.map(
    (part): Block => toBlock(asObject(part) ?? {}) ?? { type: 'text', text: JSON.stringify(part) },
  )
  return toContent(blocks)
}

function toBlock(item: GooseItem): Block | undefined {
  if (item.type === 'text') return { type: 'text', text: asString(item.text) ?? '' }
  return item.type === 'image' ? imageBlock(item.mimeType, item.data) : undefined
}

function textOf(items: readonly GooseItem[]): string {
  return items.flatMap((item) => asString(item.text) ?? []).join('\n')
}

/** What the model call behind a message cost; 1.52 and later. */
export function recordSpent(item: Keyed<GooseRecord> | Problem): Spent | undefined {
  return 'record' in item && 'metadata' in item.record ? spentOn(item.record.metadata ?? {}) : undefined
}

const USAGE = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheWriteTokens',
}

function spentOn(metadata: GooseItem): Spent | undefined {
  const usage = asObject(metadata.usage)
  return usage && { usage: tokenUsage(usage, USAGE), cost: microDollars(usage.cost) ?? 0 }
}

/** Columns came and went between schemas 13 and 16: a missing one reads as NULL. */
export function optionalColumn(columns: ReadonlySet<string>, name: string): string {
  return columns.has(name) ? name : `NULL AS ${name}`
}
