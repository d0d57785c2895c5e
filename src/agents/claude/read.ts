import type { Item } from '../../events/item.ts'
import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { groupBlocks, imageBlock, onFirst, tokenUsage } from '../../native/content.ts'
import { HashSet } from '../../native/hash-set.ts'
import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordTree } from '../../native/record-tree.ts'
import type { Draft } from '../../native/sequencer.ts'
import { keyedLines, type ToDrafts, translate } from '../../native/translate.ts'
import { bookkeeping, type ClaudeBlock, type ClaudeRecord, machineSubtype, messageOf, SYNTHETIC } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = keyedLines<ClaudeRecord>(head.path, reading, (record) => record.uuid)
  return translate(head, records, claudeTranslator(), reading)
}

/**
 * Remembers across the file which model messages had their usage counted (each block is a separate record and repeats
 * it), the tree of records, and what a compaction kept verbatim, which is in the record before its summary.
 */
function claudeTranslator(): ToDrafts<ClaudeRecord> {
  const counted = new HashSet()
  const tree = new RecordTree()
  let preserved: string[] = []

  return (record, key) => {
    const drafts = draftsOf(record, counted)
    // Without a uuid it is not part of the tree.
    if (!drafts && !record.uuid) return undefined
    if (record.compactMetadata) preserved = preservedOf(record).flatMap((uuid) => tree.eventOf(uuid) ?? [])
    const parent = asString(record.parentUuid) ?? asString(record.logicalParentUuid) ?? null
    return tree.attach(key, parent, drafts ?? [{ type: 'native', record }]).map((draft) => ({
      ...draft,
      time: record.timestamp,
      ...(draft.type === 'compaction' ? { preserved } : {}),
    }))
  }
}

function preservedOf(record: ClaudeRecord): string[] {
  const { uuids } = asObject(record.compactMetadata?.preservedMessages) ?? {}
  return (asArray(uuids) ?? []).filter((uuid) => typeof uuid === 'string')
}

/** The ids of model messages whose usage has been counted. `add` is true the first time. */
interface Noted {
  add(messageId: string): boolean
}

/** What one record says; the scanner calls it for the lines that it parses. */
export function draftsOf(record: ClaudeRecord, counted: Noted = new HashSet()): Draft[] | undefined {
  switch (record.type) {
    case 'user':
      return userDrafts(record)
    case 'assistant':
      return assistantDrafts(record, counted)
    case 'attachment':
      return [{ type: 'system', subtype: `attachment/${record.attachment?.type}`, content: record.attachment }]
    case 'system':
      return [systemDraft(record)]
    case 'progress':
      return [{ type: 'system', subtype: 'progress', content: record.content ?? null }]
    default:
      return record.type && bookkeeping.has(record.type) ? [] : undefined
  }
}

function systemDraft(record: ClaudeRecord): Draft {
  return {
    type: 'system',
    subtype: asString(record.subtype) ?? 'notice',
    content: record.compactMetadata ?? record.content ?? null,
  }
}

function userDrafts(record: ClaudeRecord): Draft[] {
  const { content } = messageOf(record)
  if (record.isCompactSummary) {
    return [{ type: 'compaction', summary: textOf(content), replaces: [] }]
  }
  if (typeof content === 'string') return [textDraft(content, content, record)]
  return groupBlocks(
    content,
    (block) => {
      const converted = block.type === 'tool_result' ? undefined : toBlock(block)
      return converted && !isMachineBlock(converted) ? converted : undefined
    },
    (blocks) => textDraft(blocks, textOf(blocks), record),
    (block) => {
      if (block.type === 'tool_result') return toolResult(block)
      const converted = toBlock(block)
      return converted ? textDraft([converted], textOf([converted]), record) : { type: 'native', record: block }
    },
  )
}

/** A text in the user's place: typed by the user, unless the program put it there. */
function textDraft(content: Content, text: string, record: ClaudeRecord): Draft {
  const subtype = machineSubtype(text) ?? (record.isMeta ? 'meta' : undefined)
  return subtype ? { type: 'system', subtype, content: text } : { type: 'user', content }
}

function isMachineBlock(block: Block): boolean {
  return block.type === 'text' && machineSubtype(block.text) !== undefined
}

function assistantDrafts(record: ClaudeRecord, counted: Noted): Draft[] {
  const { id, model, content, usage } = messageOf(record)
  if (record.isApiErrorMessage) return [{ type: 'system', subtype: 'api_error', content: textOf(content) }]
  if (model === SYNTHETIC) return [{ type: 'system', subtype: 'synthetic', content: textOf(content) }]
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const isNew = usage && blocks.length > 0 && (id === undefined || counted.add(id))
  return onFirst(blocks.map(assistantDraft), model, isNew ? toUsage(usage) : undefined)
}

function assistantDraft(block: ClaudeBlock): Draft {
  switch (block.type) {
    case 'text':
      return { type: 'assistant', content: [{ type: 'text', text: String(block.text ?? '') }] }
    case 'thinking':
      return { type: 'thinking', content: String(block.thinking ?? '') }
    case 'redacted_thinking':
      return { type: 'system', subtype: 'redacted_thinking', content: null }
    case 'tool_use':
    case 'server_tool_use':
      return {
        type: 'tool_use',
        id: typeof block.id === 'string' ? block.id : undefined,
        name: String(block.name ?? ''),
        input: block.input ?? {},
      }
    case 'web_search_tool_result':
    case 'web_fetch_tool_result':
      return toolResult(block)
    default:
      return { type: 'native', record: block }
  }
}

function toolResult(block: ClaudeBlock): Draft {
  const { content } = block
  const blocks = Array.isArray(content) ? (content as ClaudeBlock[]) : undefined
  return {
    type: 'tool_result',
    tool_use_id: String(block.tool_use_id ?? ''),
    content: blocks
      ? blocks.map((part) => toBlock(part) ?? { type: 'text', text: JSON.stringify(part) })
      : String(content ?? ''),
    is_error: block.is_error === true,
  }
}

function toBlock(block: ClaudeBlock): Block | undefined {
  if (block.type === 'text') return { type: 'text', text: String(block.text ?? '') }
  if (block.type !== 'image' && block.type !== 'document') return undefined
  const source = asObject(block.source) ?? {}
  const url = asString(source.url)
  return { ...imageBlock(source.media_type, source.data), ...(url ? { url } : {}) }
}

function textOf(content: string | readonly { readonly type: string; readonly text?: unknown }[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [String(block.text ?? '')] : [])).join('\n')
}

function toUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  const counts = tokenUsage(usage, {
    input: 'input_tokens',
    output: 'output_tokens',
    cache_read: 'cache_read_input_tokens',
    cache_write: 'cache_creation_input_tokens',
  })
  return { ...counts, reasoning: asCount(asObject(usage.output_tokens_details)?.thinking_tokens) ?? 0 }
}
