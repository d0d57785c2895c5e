import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import { groupBlocks, onFirst, toContent, tokenUsage } from '../../native/content.ts'
import { asArray, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import {
  type Fields,
  fileBlock,
  folderOf,
  ignoredResponseNodes,
  pictureBlock,
  requestNode,
  responseNode,
} from './records.ts'

/** What must be known of earlier items. */
export interface Memory {
  /** The last known folder; every request repeats it. */
  folder: string | undefined
}

/** What was sent to the model with one request: the user's text, tool results, the user's folder. */
export function requestDrafts(exchange: Fields, isSummary: boolean, memory: Memory): Draft[] {
  const message = asString(exchange.request_message) ?? ''
  const nodes = asArray(exchange.request_nodes) ?? []
  // Without nodes the message was never sent, but the user wrote it.
  if (nodes.length === 0 && !isSummary) return message ? [{ type: 'user', content: message }] : []
  const drafts: Draft[] = isSummary ? [{ type: 'compaction', summary: summaryOf(nodes) ?? message, replaces: [] }] : []
  const shown = nodes
    .map((value) => requireObject(value, 'request node'))
    .filter((node) => (isSummary ? summaryOf([node]) === undefined : !isEmptyText(node)))
  drafts.push(
    ...groupBlocks(
      shown,
      (node) => userBlock(node, message),
      (blocks) => ({ type: 'user', content: toContent(blocks) }),
      (node) => requestNodeDrafts(node, memory),
    ),
  )
  return drafts
}

/** A text that is not part of what the user typed was added by the program. */
function userBlock(node: Fields, message: string): Block | undefined {
  if (node.type === requestNode.image) return pictureBlock(node.image_node)
  if (node.type === requestNode.file) return fileBlock(node.file_node)
  if (node.type !== requestNode.text) return undefined
  const text = textOf(node)
  return text.includes(message) || message.includes(text) ? { type: 'text', text } : undefined
}

function requestNodeDrafts(node: Fields, memory: Memory): Draft[] {
  switch (node.type) {
    case requestNode.text:
      return [{ type: 'system', subtype: 'context', content: textOf(node) }]
    case requestNode.toolResult:
      return [toolResult(requireObject(node.tool_result_node, 'tool_result_node'))]
    case requestNode.ideState:
      return ideState(requireObject(node.ide_state_node, 'ide_state_node'), memory)
    case requestNode.historySummary:
      return [{ type: 'compaction', summary: summaryOf([node]) ?? '', replaces: [] }]
    default:
      return [{ type: 'native', record: node }]
  }
}

function ideState(state: Fields, memory: Memory): Draft[] {
  const folder = folderOf(state)
  if (folder === memory.folder) return []
  memory.folder = folder
  return [{ type: 'system', subtype: 'ide_state', content: state }]
}

function toolResult(result: Fields): Draft {
  const start = Number(result.start_time_ms)
  return {
    type: 'tool_result',
    tool_use_id: requireString(result.tool_use_id, 'tool_use_id'),
    content: resultContent(result),
    is_error: result.is_error === true,
    ...(start ? { time: start + (Number(result.duration_ms) || 0) } : {}),
  }
}

/** Usually a string; a result with images has its parts as nodes, the text included. */
function resultContent(result: Fields): Content {
  const parts = asArray(result.content_nodes) ?? []
  if (parts.length === 0) return asString(result.content) ?? JSON.stringify(result.content ?? '')
  return parts.map((value): Block => {
    const part = asObject(value) ?? {}
    if (part.image_content) return pictureBlock(part.image_content)
    return { type: 'text', text: asString(part.text_content) ?? JSON.stringify(value) }
  })
}

function summaryOf(nodes: readonly unknown[]): string | undefined {
  const texts = nodes.flatMap((value) => {
    const node = asObject(value) ?? {}
    const summary = asString(asObject(node.history_summary_node)?.summary_text)
    return summary ?? (node.type === requestNode.text ? textOf(node) : [])
  })
  return texts.length ? texts.join('\n') : undefined
}

function isEmptyText(node: Fields): boolean {
  return node.type === requestNode.text && textOf(node) === ''
}

function textOf(node: Fields): string {
  return asString(asObject(node.text_node)?.content) ?? ''
}

/** What the model answered to one request, with its model and its tokens on the first event. */
export function responseDrafts(exchange: Fields): Draft[] {
  const nodes = (asArray(exchange.response_nodes) ?? []).map((value) => requireObject(value, 'response node'))
  const text = asString(exchange.response_text) ?? ''
  const drafts = nodes.length ? responseNodeDrafts(nodes) : text ? [answer(text)] : []
  const usage = usageOf(nodes)
  if (usage && drafts.length === 0) drafts.push({ type: 'system', subtype: 'usage', content: null })
  const id = asString(exchange.request_id)
  return onFirst(drafts, asString(exchange.model_id), usage, id ? { id } : undefined)
}

/** Neighbouring texts are parts of one. */
function responseNodeDrafts(nodes: readonly Fields[]): Draft[] {
  const drafts: Draft[] = []
  const inParts = nodes.some((node) => node.type === responseNode.text && node.content)
  let text = ''
  let time: unknown
  const flush = (): void => {
    if (text) drafts.push({ ...answer(text), time })
    text = ''
  }
  for (const node of nodes) {
    // The complete text is repeated after its parts.
    if (node.type === responseNode.text || (node.type === responseNode.wholeText && !inParts)) {
      if (!text) time = node.timestamp_ms
      text += asString(node.content) ?? ''
      continue
    }
    const draft = responseNodeDraft(node)
    if (!draft) continue
    flush()
    drafts.push({ ...draft, time: node.timestamp_ms })
  }
  flush()
  return drafts
}

function answer(text: string): Draft {
  return { type: 'assistant', content: [{ type: 'text', text }] }
}

function responseNodeDraft(node: Fields): Draft | undefined {
  switch (node.type) {
    case responseNode.toolUse:
      return toolUse(requireObject(node.tool_use, 'tool_use'))
    case responseNode.thinking:
      return thinking(asObject(node.thinking) ?? {})
    case responseNode.wholeText:
    case responseNode.tokenUsage:
      return undefined
    default:
      return ignoredResponseNodes.has(node.type) ? undefined : { type: 'native', record: node }
  }
}

function thinking(value: Fields): Draft {
  const text = asString(value.content) || asString(value.summary)
  return text ? { type: 'thinking', content: text } : { type: 'system', subtype: 'redacted_thinking', content: null }
}

function toolUse(call: Fields): Draft {
  return {
    type: 'tool_use',
    id: requireString(call.tool_use_id, 'tool_use_id'),
    name: requireString(call.tool_name, 'tool_name'),
    input: inputOf(asString(call.input_json) || '{}'),
  }
}

/** JSON in a string; the string itself where the model wrote invalid JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const USAGE = {
  input: 'input_tokens',
  output: 'output_tokens',
  cache_read: 'cache_read_input_tokens',
  cache_write: 'cache_creation_input_tokens',
}

function usageOf(nodes: readonly Fields[]): TokenUsage | undefined {
  const usage = asObject(nodes.findLast((node) => node.type === responseNode.tokenUsage)?.token_usage)
  return usage && tokenUsage(usage, USAGE)
}
