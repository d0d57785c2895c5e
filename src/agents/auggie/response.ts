import type { TokenUsage } from '../../events/schema.ts'
import { onFirst, tokenUsage } from '../../native/content.ts'
import { asArray, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { type Fields, ignoredResponseNodes, responseNode } from './records.ts'

/** What the model answered to one request, with its model and its tokens on the first event. */
export function responseDrafts(exchange: Fields): Draft[] {
  const nodes = (asArray(exchange.response_nodes) ?? []).map((value) => requireObject(value, 'response node'))
  const text = asString(exchange.response_text) ?? ''
  const drafts = nodes.length ? gather(nodes) : text ? [answer(text)] : []
  const usage = usageOf(nodes)
  if (usage && drafts.length === 0) drafts.push({ type: 'system', subtype: 'usage', content: null })
  return onFirst(drafts, asString(exchange.model_id), usage)
}

/** Neighbouring texts are parts of one. */
function gather(nodes: readonly Fields[]): Draft[] {
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
    const draft = otherDraft(node)
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

function otherDraft(node: Fields): Draft | undefined {
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
