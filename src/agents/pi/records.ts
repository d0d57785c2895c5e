import type { Block, Content, ModelCall, TokenUsage } from '../../events/schema.ts'
import { imageBlock, onFirst, toContent, tokenUsage } from '../../native/content.ts'
import { asArray, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { isZero, microDollars } from '../../native/usage.ts'

/** One line of a session (format 3, as 0.87.1 writes it). Every field is checked where it is used. */
export interface PiRecord {
  readonly type?: unknown
  readonly id?: unknown
  readonly parentId?: unknown
  readonly timestamp?: unknown
  readonly message?: unknown
  readonly cwd?: unknown
  readonly parentSession?: unknown
  readonly provider?: unknown
  readonly modelId?: unknown
  readonly model?: unknown
  readonly usage?: unknown
  readonly kind?: unknown
  readonly summary?: unknown
  readonly name?: unknown
  readonly content?: unknown
}

/** What one record says; see README.md for the table. `[]` says nothing, undefined is unknown. */
export function draftsOf(record: PiRecord): Draft[] | undefined {
  switch (record.type) {
    case 'session':
    case 'session_info':
    case 'label':
    case 'custom':
      return []
    case 'message':
      return messageDrafts(requireObject(record.message, 'message'), record)
    case 'model_change': {
      const { provider, modelId } = record
      return [{ type: 'system', subtype: 'model_change', content: { provider, modelId }, ...modelOf(modelId) }]
    }
    case 'thinking_level_change':
    case 'context_edit': {
      const { type, id: _id, parentId: _parent, timestamp: _time, ...content } = record
      return [{ type: 'system', subtype: type, content }]
    }
    case 'usage':
      return [
        {
          type: 'system',
          subtype: 'usage',
          content: record.kind ?? null,
          ...modelOf(record.model),
          ...usageOf(record, record),
        },
      ]
    case 'compaction':
      return [
        {
          type: 'compaction',
          summary: requireString(record.summary, 'summary'),
          replaces: [],
          ...usageOf(record, record),
        },
      ]
    case 'branch_summary':
      return [
        { type: 'system', subtype: 'branch_summary', content: record.summary ?? null, ...usageOf(record, record) },
      ]
    case 'custom_message':
      return [{ type: 'system', subtype: 'custom_message', content: record.content ?? null }]
    default:
      return undefined
  }
}

type Message = Readonly<Record<string, unknown>>

function messageDrafts(message: Message, record: PiRecord): Draft[] | undefined {
  switch (message.role) {
    case 'user':
      return [{ type: 'user', content: contentOf(message.content) }]
    case 'assistant':
      return assistantDrafts(message, record)
    case 'toolResult': {
      const tool_use_id = requireString(message.toolCallId, 'toolCallId')
      const content = contentOf(message.content)
      return [
        { type: 'tool_result', tool_use_id, content, is_error: message.isError === true, ...usageOf(message, record) },
      ]
    }
    case 'system':
      return [{ type: 'system', subtype: 'system_prompt', content: message.sections ?? message.content ?? null }]
    // `!command` of the user: run by Pi, not a prompt.
    case 'bashExecution': {
      const { command, output, exitCode } = message
      return [{ type: 'system', subtype: 'local_command', content: { command, output, exitCode } }]
    }
    case 'custom':
      return [{ type: 'system', subtype: 'custom_message', content: message.content ?? null }]
    default:
      return undefined
  }
}

/** The tokens are those of the whole message, so the first event has them. */
function assistantDrafts(message: Message, record: PiRecord): Draft[] {
  const drafts = (asArray(message.content) ?? []).map(blockDraft)
  const reason = asString(message.stopReason)
  if (reason === 'error') drafts.push({ type: 'system', subtype: 'api_error', content: message.errorMessage ?? null })
  if (reason === 'aborted') drafts.push({ type: 'system', subtype: 'interrupted', content: null })
  const { token_usage, call } = usageOf(message, record)
  if (drafts.length === 0 && token_usage && !isZero(token_usage))
    drafts.push({ type: 'system', subtype: 'usage', content: null })
  return onFirst(drafts, asString(message.model), token_usage, call)
}

function blockDraft(value: unknown): Draft {
  const block = asObject(value) ?? {}
  const text = asString(block.text)
  const thinking = asString(block.thinking)
  const id = asString(block.id)
  const name = asString(block.name)
  if (block.type === 'text' && text !== undefined) return { type: 'assistant', content: [{ type: 'text', text }] }
  if (block.type === 'thinking' && thinking !== undefined) {
    if (block.redacted === true) return { type: 'system', subtype: 'redacted_thinking', content: null }
    return { type: 'thinking', content: thinking }
  }
  if (block.type === 'toolCall' && id && name !== undefined) {
    return { type: 'tool_use', id, name, input: block.arguments ?? {} }
  }
  return { type: 'native', record: value }
}

function contentOf(content: unknown): Content {
  return typeof content === 'string' ? content : toContent((asArray(content) ?? []).flatMap(toBlock))
}

function toBlock(value: unknown): Block[] {
  const block = asObject(value) ?? {}
  const text = asString(block.text)
  if (block.type === 'text' && text !== undefined) return [{ type: 'text', text }]
  return block.type === 'image' ? [imageBlock(block.mimeType, block.data)] : []
}

function modelOf(model: unknown): { model?: string } {
  const name = asString(model)
  return name ? { model: name } : {}
}

interface Counted {
  readonly token_usage?: TokenUsage
  readonly call?: ModelCall
}

/** The tokens of a call and what it cost. A fork copies records with their ids, which are short, and their times. */
function usageOf({ usage }: { readonly usage?: unknown }, { id, timestamp }: PiRecord): Counted {
  const counts = asObject(usage)
  if (!counts) return {}
  const cost = microDollars(asObject(counts.cost)?.total)
  const isKnown = typeof id === 'string' && typeof timestamp === 'string'
  const call = { ...(isKnown ? { id: `${id}/${timestamp}` } : {}), ...(cost === undefined ? {} : { cost }) }
  return { token_usage: tokenUsage(counts, COUNTS), ...(Object.keys(call).length > 0 ? { call } : {}) }
}

const COUNTS = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  reasoning: 'reasoning',
}
