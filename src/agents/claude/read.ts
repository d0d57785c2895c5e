import { type Item, isNonRecord, type NonRecord } from '../../events/item.ts'
import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { HashSet } from '../../native/hash-set.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { type Keyed, type ToDrafts, translate } from '../../native/translate.ts'
import { bookkeeping, type ClaudeBlock, type ClaudeRecord, machineSubtype, messageOf, SYNTHETIC } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  return translate(head, keyedRecords(head.path, reading), claudeTranslator(), reading)
}

function* keyedRecords(path: string, reading: ReadContext): Generator<Keyed<ClaudeRecord> | NonRecord> {
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) yield line
    else {
      const record = line.record as ClaudeRecord
      // A record without a uuid is known by its place: the file only grows.
      yield { record, key: asString(record.uuid) || `@${line.span.offset}`, span: line.span }
    }
  }
}

/**
 * Remembers across the file: which model messages had their usage counted (each block is a record of its own and
 * repeats it); the event to which a child of a record belongs, where that is not named after the record's uuid; and
 * what a compaction left word for word, which is told one record before its summary.
 */
function claudeTranslator(): ToDrafts<ClaudeRecord> {
  const counted = new HashSet()
  const lastEvent = new Map<string, string | null>()
  let preserved: string[] = []

  const eventOf = (uuid: string | undefined): string | null => {
    if (!uuid) return null
    const event = lastEvent.get(uuid)
    return event === undefined ? uuid : event
  }

  return (record, key) => {
    const uuid = asString(record.uuid)
    const parent_id = eventOf(asString(record.parentUuid) ?? asString(record.logicalParentUuid))
    const drafts = draftsOf(record, counted)
    // Not known, but it has its place in the tree.
    if (!drafts) return uuid ? [{ type: 'native', record, parent_id, time: record.timestamp }] : undefined
    if (uuid) {
      const last = drafts.at(-1)
      const event = last ? (last.id ?? (drafts.length === 1 ? key : `${key}.${drafts.length - 1}`)) : parent_id
      if (event !== uuid) lastEvent.set(uuid, event)
    }
    if (record.compactMetadata) preserved = preservedOf(record).flatMap((kept) => eventOf(kept) ?? [])
    return drafts.map((draft, index) => ({
      ...draft,
      time: record.timestamp,
      ...(index === 0 ? { parent_id } : {}),
      ...(draft.type === 'compaction' ? { preserved } : {}),
    }))
  }
}

function preservedOf(record: ClaudeRecord): string[] {
  const { uuids } = asObject(record.compactMetadata?.preservedMessages) ?? {}
  return (asArray(uuids) ?? []).filter((uuid) => typeof uuid === 'string')
}

/** Where the ids of model messages are noted whose usage has been counted. `add` is true the first time. */
interface Noted {
  add(messageId: string): boolean
}

/** What one record says; the scanner asks the same of the lines that it parses. */
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
  if (typeof content === 'string') return [spoken(content, content, record)]
  const drafts: Draft[] = []
  let said: Block[] = []
  const flush = (): void => {
    if (said.length) drafts.push(spoken(said, textOf(said), record))
    said = []
  }
  for (const block of content) {
    if (block.type === 'tool_result') {
      flush()
      drafts.push(toolResult(block))
    } else {
      const converted = toBlock(block)
      if (converted && isMachineBlock(converted)) {
        flush()
        drafts.push(spoken([converted], textOf([converted]), record))
      } else if (converted) said.push(converted)
      else {
        flush()
        drafts.push({ type: 'native', record: block })
      }
    }
  }
  flush()
  return drafts
}

/** A text in the user's place: the user's, unless the program put it there. */
function spoken(content: Content, text: string, record: ClaudeRecord): Draft {
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
  const drafts = blocks.map(assistantDraft)
  const first = drafts[0]
  if (!first) return []
  const counts = usage && (id === undefined || counted.add(id)) ? { token_usage: toUsage(usage) } : {}
  drafts[0] = { ...first, ...(model ? { model } : {}), ...counts }
  return drafts
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

interface MediaSource {
  readonly media_type?: string
  readonly data?: string
  readonly url?: string
}

function toBlock(block: ClaudeBlock): Block | undefined {
  if (block.type === 'text') return { type: 'text', text: String(block.text ?? '') }
  if (block.type !== 'image' && block.type !== 'document') return undefined
  const source = (block.source ?? {}) as MediaSource
  return {
    type: 'image',
    media_type: source.media_type ?? null,
    ...(source.data ? { data: source.data } : {}),
    ...(source.url ? { url: source.url } : {}),
  }
}

function textOf(content: string | readonly { readonly type: string; readonly text?: unknown }[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [String(block.text ?? '')] : [])).join('\n')
}

function toUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  return {
    input: asCount(usage.input_tokens) ?? 0,
    output: asCount(usage.output_tokens) ?? 0,
    cache_read: asCount(usage.cache_read_input_tokens) ?? 0,
    cache_write: asCount(usage.cache_creation_input_tokens) ?? 0,
    reasoning: asCount(asObject(usage.output_tokens_details)?.thinking_tokens) ?? 0,
  }
}
