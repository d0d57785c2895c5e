import type { Block, Content } from '../../events/schema.ts'
import { groupBlocks, saidBy, toContent, tokenUsage } from '../../native/content.ts'
import { asArray, asObject, asString, requireArray, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'

/** A line of engine v2, `{ version: 'v1', kind, data }`, or one turn of the metadata beside it as `{ turn }`. */
export type V2Record = Readonly<Record<string, unknown>>

export function v2Drafts(record: V2Record): Draft[] | undefined {
  if ('turn' in record) return usageDrafts(requireObject(record.turn, 'turn'))
  const data = asObject(record.data) ?? {}
  switch (record.kind) {
    case 'Prompt':
      return said(data, 'user').map((draft) => ({ ...draft, time: asObject(data.meta)?.timestamp }))
    case 'AssistantMessage':
      return said(data, 'assistant')
    case 'ToolResults':
      return said(data, 'user')
    case 'Compaction':
      return compaction(data)
    case 'Clear':
    case 'ResetTo':
      return [{ type: 'system', subtype: record.kind === 'Clear' ? 'cleared' : 'reset', content: record.data ?? null }]
    case 'CancelledPrompt':
      return [{ type: 'system', subtype: 'interrupted', content: record.data ?? null }]
    default:
      return undefined
  }
}

function said(data: V2Record, role: 'user' | 'assistant'): Draft[] {
  const blocks = requireArray(data.content, 'content').map((value) => requireObject(value, 'content block'))
  const textBlock = (block: V2Record): Block | undefined =>
    block.kind === 'text' ? { type: 'text', text: asString(block.data) ?? '' } : undefined
  return groupBlocks(blocks, textBlock, saidBy(role), blockDraft)
}

function blockDraft(block: V2Record): Draft {
  const data = asObject(block.data) ?? {}
  switch (block.kind) {
    case 'thinking':
      return thinking(block)
    case 'toolUse':
      return {
        type: 'tool_use',
        id: asString(data.toolUseId),
        name: requireString(data.name, 'name of a tool use'),
        input: data.input ?? {},
      }
    case 'toolResult':
      return {
        type: 'tool_result',
        tool_use_id: asString(data.toolUseId) ?? '',
        content: resultContent(data.content),
        is_error: asString(data.status)?.toLowerCase() === 'error',
      }
    default:
      return { type: 'native', record: block }
  }
}

/** Its `modelId` is the only place where a line names the model. */
function thinking(block: V2Record): Draft {
  const data = asObject(block.data)
  const text = asString(block.data) ?? asString(data?.text) ?? asString(data?.thinking)
  if (text === undefined) return { type: 'native', record: block }
  const model = asString(data?.modelId)
  return { type: 'thinking', content: text, ...(model ? { model } : {}) }
}

function resultContent(content: unknown): Content {
  const parts = asArray(content)
  if (!parts) return asString(content) ?? ''
  const blocks = parts.map((value): Block => {
    const part = asObject(value)
    const text = part?.kind === 'text' ? asString(part.data) : undefined
    return { type: 'text', text: text ?? JSON.stringify(part && 'data' in part ? part.data : (value ?? null)) }
  })
  return toContent(blocks)
}

function compaction(data: V2Record): Draft[] | undefined {
  const summary = asString(data.summary) ?? asString(asObject(data.summary)?.content)
  return summary === undefined ? undefined : [{ type: 'compaction', summary, replaces: [] }]
}

/** Zeros mean that nothing was counted: then `metering_usage`, in credits, is what is billed. */
function usageDrafts(turn: V2Record): Draft[] {
  const token_usage = tokenUsage(turn, {
    input: 'input_token_count',
    output: 'output_token_count',
    cache_read: 'cache_read_input_token_count',
    cache_write: 'cache_write_input_token_count',
  })
  if (Object.values(token_usage).every((count) => count === 0)) return []
  const content = { metering_usage: turn.metering_usage ?? null }
  return [{ type: 'system', subtype: 'usage', content, token_usage, time: turn.end_timestamp }]
}
