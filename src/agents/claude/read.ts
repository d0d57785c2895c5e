import type { Item } from '../../events/item.ts'
import type { Block, Content } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { groupBlocks, imageBlock, onFirst } from '../../native/content.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordTree } from '../../native/record-tree.ts'
import type { Draft } from '../../native/sequencer.ts'
import { keyedLines, type ToDrafts, translate } from '../../native/translate.ts'
import { isZero, type NoteUncounted, uncountedIn } from '../../native/usage.ts'
import { bookkeeping, type ClaudeBlock, type ClaudeRecord, machineSubtype, messageOf, SYNTHETIC } from './records.ts'
import { addedUsage, callId, callOf, newUsageMemory, sumsIn, toUsage, type UsageMemory } from './usage.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = keyedLines<ClaudeRecord>(head.path, reading, (record) => record.uuid)
  return translate(head, records, claudeTranslator(reading), reading)
}

/**
 * Remembers across the file which model calls were counted, the tree of records, and what a compaction kept verbatim, which
 * is in the record before its summary.
 */
function claudeTranslator(reading: ReadContext): ToDrafts<ClaudeRecord> {
  const counted = newUsageMemory()
  const tree = new RecordTree()
  let preserved: string[] = []

  return (record, key) => {
    const noteUncounted = reading.onUncounted && uncountedIn(reading, key, record.timestamp)
    const drafts = draftsOf(record, counted, noteUncounted)
    if (noteUncounted) for (const sum of sumsIn(record)) noteUncounted(sum, 'sum')
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

/** What one record says; the scanner calls it for the lines that it parses. */
export function draftsOf(
  record: ClaudeRecord,
  counted: UsageMemory = newUsageMemory(),
  noteUncounted?: NoteUncounted,
): Draft[] | undefined {
  switch (record.type) {
    case 'user':
      return userDrafts(record)
    case 'assistant':
      return assistantDrafts(record, counted, noteUncounted)
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

function assistantDrafts(record: ClaudeRecord, counted: UsageMemory, noteUncounted?: NoteUncounted): Draft[] {
  const { id, model, content, usage } = messageOf(record)
  if (record.isApiErrorMessage || model === SYNTHETIC) {
    if (usage) noteUncounted?.(toUsage(usage), 'not_a_call')
    return [{ type: 'system', subtype: record.isApiErrorMessage ? 'api_error' : 'synthetic', content: textOf(content) }]
  }
  const drafts = typeof content === 'string' ? [assistantText(content)] : content.map(assistantDraft)
  if (!usage) return onFirst(drafts, model)
  const total = toUsage(usage)
  const identity = callId(id, asString(record.requestId), record.uuid)
  const added = addedUsage(counted, identity, total)
  if (!added) {
    noteUncounted?.(total, 'repeated')
    return onFirst(drafts, model)
  }
  if (drafts.length === 0 && !isZero(added)) drafts.push({ type: 'system', subtype: 'usage', content: null })
  return onFirst(drafts, model, added, callOf(identity, usage.service_tier, record.costUSD))
}

function assistantText(text: string): Draft {
  return { type: 'assistant', content: [{ type: 'text', text }] }
}

function assistantDraft(block: ClaudeBlock): Draft {
  switch (block.type) {
    case 'text':
      return assistantText(String(block.text ?? ''))
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
