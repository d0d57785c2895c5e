import type { Block, Content, ModelCall, TokenUsage } from '../../events/schema.ts'
import { imageBlock, onFirst, tokenUsage, withoutCache } from '../../native/content.ts'
import { HashSet } from '../../native/hash-set.ts'
import { asArray, asCount, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { NoteUncounted } from '../../native/usage.ts'
import { bookkeeping, type CopilotRecord, type Data, dataOf, machineSubtype, notices } from './records.ts'

/** What must be known of earlier records to understand the next. */
export interface Memory {
  /** Calls that have an event. A call is in the message that requests it, and again when it starts. */
  readonly called: HashSet
  /** The last reasoning that had its own record: the message may repeat it. */
  reasoning: string
}

export function newMemory(): Memory {
  return { called: new HashSet(), reasoning: '' }
}

/** What one record says; see README.md for the table. */
export function draftsOf(record: CopilotRecord, memory: Memory, noteUncounted?: NoteUncounted): Draft[] | undefined {
  const type = asString(record.type) ?? ''
  if (bookkeeping.has(type)) {
    if (noteUncounted) for (const sum of sumsIn(record)) noteUncounted(sum, 'sum')
    return []
  }
  const translator = translators.get(type)
  if (translator) return translator(requireObject(record.data, 'data'), record, memory)
  const subtype = notices.get(type)
  return subtype ? [{ type: 'system', subtype, content: record.data ?? null }] : undefined
}

type Translator = (data: Data, record: CopilotRecord, memory: Memory) => Draft[]

const translators: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['user.message', userMessage],
  ['assistant.message', assistantMessage],
  ['assistant.reasoning', assistantReasoning],
  ['tool.user_requested', toolStart],
  ['tool.execution_start', toolStart],
  ['tool.execution_complete', toolComplete],
  ['system.message', (data) => [{ type: 'system', subtype: 'system_prompt', content: data.content ?? null }]],
  ['session.usage_record', usageRecord],
  ['session.compaction_complete', compaction],
  ['session.model_change', modelChange],
  ['session.error', sessionError],
  [
    'session.info',
    (data) => [{ type: 'system', subtype: `info/${asString(data.infoType) ?? 'other'}`, content: data }],
  ],
  ['session.warning', sessionWarning],
])

/** `content` is what was typed; `transformedContent` is the same with the date before it. */
function userMessage(data: Data, record: CopilotRecord): Draft[] {
  const text = requireString(data.content, 'content')
  const subtype = machineSubtype(record)
  if (subtype) return [{ type: 'system', subtype, content: text }]
  const blocks: Block[] = []
  const unknown: Draft[] = []
  for (const attachment of asArray(data.attachments) ?? []) {
    const block = attachmentBlock(attachment)
    if (block) blocks.push(block)
    else unknown.push({ type: 'native', record: attachment })
  }
  return [{ type: 'user', content: blocks.length ? [{ type: 'text', text }, ...blocks] : text }, ...unknown]
}

/** One model message: its reasoning, its text, its calls. */
function assistantMessage(data: Data, _record: CopilotRecord, memory: Memory): Draft[] {
  const drafts: Draft[] = []
  const reasoning = asString(data.reasoningText)
  if (reasoning && reasoning !== memory.reasoning) drafts.push({ type: 'thinking', content: reasoning })
  memory.reasoning = ''
  const text = asString(data.content)
  if (text) drafts.push({ type: 'assistant', content: [{ type: 'text', text }] })
  for (const value of asArray(data.toolRequests) ?? []) {
    const request = asObject(value)
    const id = asString(request?.toolCallId)
    const name = asString(request?.name)
    if (!id || name === undefined) drafts.push({ type: 'native', record: value })
    else {
      memory.called.add(id)
      drafts.push({ type: 'tool_use', id, name, input: request?.arguments ?? {} })
    }
  }
  return onFirst(drafts, asString(data.model))
}

function assistantReasoning(data: Data, _record: CopilotRecord, memory: Memory): Draft[] {
  memory.reasoning = requireString(data.content, 'content')
  return [{ type: 'thinking', content: memory.reasoning }]
}

/** Only for a call that no message requested: made by the user, or its message is lost. */
function toolStart(data: Data, _record: CopilotRecord, memory: Memory): Draft[] {
  const id = requireString(data.toolCallId, 'toolCallId')
  if (!memory.called.add(id)) return []
  return [{ type: 'tool_use', id, name: requireString(data.toolName, 'toolName'), input: data.arguments ?? {} }]
}

function toolComplete(data: Data): Draft[] {
  const tool_use_id = requireString(data.toolCallId, 'toolCallId')
  return [{ type: 'tool_result', tool_use_id, content: resultContent(data), is_error: data.success !== true }]
}

function usageRecord(data: Data, record: CopilotRecord): Draft[] {
  const usage = requireObject(data.usage, 'usage')
  const id = callId(usage, record)
  const counted = { token_usage: toUsage(usage), ...(id ? { call: { id } } : {}) }
  return [{ type: 'system', subtype: 'usage', content: null, ...modelOf(usage.model), ...counted }]
}

/** The session that made the call, and its number there. Forks copy records, mostly with their ids. */
function callId(usage: Data, record: CopilotRecord): string | undefined {
  const { sourceSessionId, sequence } = asObject(usage.accounting) ?? {}
  const known = typeof sourceSessionId === 'string' && asCount(sequence) !== undefined
  return known ? `${sourceSessionId}/${asCount(sequence)}` : asString(record.id)
}

/** The call that wrote the summary has no usage record, so its tokens are counted here. */
function compaction(data: Data, record: CopilotRecord): Draft[] {
  const summary = asString(data.summaryContent)
  const spent = asObject(data.compactionTokensUsed)
  const counted = spent
    ? { ...modelOf(spent.model), token_usage: toUsage(spent), ...compactionCall(data, spent, record) }
    : {}
  if (data.success === false || summary === undefined) {
    return [{ type: 'system', subtype: 'compaction_failed', content: data, ...counted }]
  }
  return [{ type: 'compaction', summary, replaces: [], ...counted }]
}

function compactionCall(data: Data, spent: Data, record: CopilotRecord): { call?: ModelCall } {
  const id = asString(data.compactionAttemptId) ?? asString(record.id)
  const is_sum = (asCount(spent.requestCount) ?? 1) > 1 ? ({ is_sum: true } as const) : {}
  return id ? { call: { id, ...is_sum } } : {}
}

/** The sums of each model in `session.shutdown` and `session.usage_checkpoint`. */
function sumsIn(record: CopilotRecord): TokenUsage[] {
  const data = dataOf(record)
  const metrics = asObject(data.modelMetrics) ?? asObject(asObject(data.accountingSnapshot)?.modelMetrics) ?? {}
  return Object.values(metrics).flatMap((metric) => {
    const usage = asObject(asObject(metric)?.usage)
    return usage ? [toUsage(usage)] : []
  })
}

function modelChange(data: Data): Draft[] {
  return [{ type: 'system', subtype: 'model_change', content: data, ...modelOf(data.newModel) }]
}

function sessionError(data: Data): Draft[] {
  return [{ type: 'system', subtype: data.statusCode === undefined ? 'error' : 'api_error', content: data }]
}

/** After a kill, the next resume says which tools had no result. */
function sessionWarning(data: Data): Draft[] {
  const kind = asString(data.warningType) ?? 'other'
  return [{ type: 'system', subtype: kind === 'interrupted_tools' ? 'interrupted' : `warning/${kind}`, content: data }]
}

function modelOf(value: unknown): { model?: string } {
  const model = asString(value)
  return model ? { model } : {}
}

/** What a user attached; undefined for a kind that does not fit a message (an issue, a diff, an extension's data). */
function attachmentBlock(value: unknown): Block | undefined {
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
function resultContent(data: Data): Content {
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
function toUsage(usage: Data): TokenUsage {
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
