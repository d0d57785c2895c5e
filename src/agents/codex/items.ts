import type { Block } from '../../events/schema.ts'
import { toContent } from '../../native/content.ts'
import { isTooDeep } from '../../native/json-lines.ts'
import { asArray, asObject, asString, parsedObject } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { contentKinds, machineSubtype, type Payload } from './records.ts'

/** What a response item says: all that the model reads and writes. `undefined` for a type that is not known. */
export function itemDrafts(item: Payload, metadata: Payload): Draft[] | undefined {
  const id = asString(item.id)
  switch (item.type) {
    case 'message':
      return messageDrafts(item, metadata)
    case 'agent_message':
      return [{ type: 'system', subtype: 'agent_message', content: agentMessage(item), id }]
    case 'reasoning':
      return [reasoningDraft(item)]
    case 'function_call':
      return [callDraft(item, qualifiedName(item), parseArguments(item.arguments))]
    case 'custom_tool_call':
      return [callDraft(item, qualifiedName(item), { input: item.input ?? '' })]
    case 'local_shell_call':
      return [callDraft(item, 'local_shell', item.action ?? {})]
    case 'tool_search_call':
      return [callDraft(item, 'tool_search', item.arguments ?? {})]
    case 'web_search_call':
      return [callDraft(item, 'web_search', item.action ?? {})]
    case 'image_generation_call':
      return imageDrafts(item)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [outputDraft(item)]
    case 'tool_search_output':
      return [resultDraft(item, JSON.stringify(item.tools ?? []), false)]
    // The encrypted twin of the `compacted` record, and the work tree's state for undo.
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
    case 'ghost_snapshot':
      return []
    default:
      return undefined
  }
}

function messageDrafts(item: Payload, metadata: Payload): Draft[] {
  const id = asString(item.id)
  const parts = asArray(item.content) ?? (typeof item.content === 'string' ? [{ text: item.content }] : [])
  if (item.role === 'user') return userDrafts(parts, contentKinds(item) ?? [], id)
  const { blocks, strange } = toBlocks(parts)
  const text = textOf(blocks)
  if (item.role !== 'assistant') return [{ type: 'system', subtype: String(item.role), content: text, id }, ...strange]
  // The answer to "summarise this": the `compacted` record after it repeats it, and the user never saw it.
  if (metadata.compaction_output === true) return [{ type: 'system', subtype: 'compaction_output', content: text, id }]
  return blocks.length || !strange.length ? [{ type: 'assistant', content: blocks, id }, ...strange] : strange
}

/** What the user typed is one event; each text that the program added is another. */
function userDrafts(parts: readonly unknown[], kinds: readonly unknown[], id: string | undefined): Draft[] {
  const said: unknown[] = []
  const drafts: Draft[] = []
  for (const [index, part] of parts.entries()) {
    const text = asString(asObject(part)?.text)
    const subtype = text === undefined ? undefined : machineSubtype(text, asString(kinds[index]))
    if (subtype) drafts.push({ type: 'system', subtype, content: text })
    else said.push(part)
  }
  const { blocks, strange } = toBlocks(said)
  if (blocks.length) drafts.push({ type: 'user', content: toContent(blocks) })
  drafts.push(...strange)
  return drafts.map((draft, index) => ({ ...draft, id: index === 0 ? id : id && `${id}.${index}` }))
}

function toBlocks(parts: readonly unknown[]): { blocks: Block[]; strange: Draft[] } {
  return {
    blocks: parts.flatMap((part) => toBlock(part) ?? []),
    strange: parts.filter((part) => !toBlock(part)).map((record): Draft => ({ type: 'native', record })),
  }
}

function toBlock(part: unknown): Block | undefined {
  const { text, image_url } = asObject(part) ?? {}
  if (typeof text === 'string') return { type: 'text', text }
  return typeof image_url === 'string' ? imageBlock(image_url) : undefined
}

const DATA_URL = /^data:([^;,]{1,100});base64,/

function imageBlock(url: string): Block {
  const data = DATA_URL.exec(url.slice(0, 200))
  if (!data) return { type: 'image', media_type: null, url }
  return { type: 'image', media_type: data[1]!, data: url.slice(data[0].length) }
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

function agentMessage(item: Payload): object {
  return { author: item.author, recipient: item.recipient, text: textOf(toBlocks(asArray(item.content) ?? []).blocks) }
}

/** Most reasoning is encrypted; a summary or the text exists only with some models and settings. */
function reasoningDraft(item: Payload): Draft {
  const parts = [...(asArray(item.summary) ?? []), ...(asArray(item.content) ?? [])]
  const content = parts.flatMap((part) => asString(asObject(part)?.text) ?? []).join('\n\n')
  const id = asString(item.id)
  return content
    ? { type: 'thinking', content, id }
    : { type: 'system', subtype: 'redacted_thinking', content: null, id }
}

function callDraft(item: Payload, name: string, input: unknown): Draft {
  return { type: 'tool_use', id: callId(item), name, input }
}

function callId(item: Payload): string | undefined {
  return asString(item.call_id) || asString(item.id)
}

function qualifiedName(item: Payload): string {
  const name = String(item.name ?? '')
  return typeof item.namespace === 'string' ? `${item.namespace}.${name}` : name
}

/** JSON in a string; the string itself when it is not an object of a sane depth. */
function parseArguments(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {}
  const value = parsedObject(text)
  return value && !isTooDeep(value) ? value : text
}

function outputDraft(item: Payload): Draft {
  if (typeof item.output === 'string') {
    const { text, failed } = readOutput(item.output)
    return resultDraft(item, text, failed)
  }
  // In some versions an object with the text and whether it succeeded.
  const output = asObject(item.output)
  const parts = asArray(item.output) ?? asArray(output?.content)
  const blocks = parts?.map((part): Block => toBlock(part) ?? { type: 'text', text: JSON.stringify(part) ?? '' })
  return resultDraft(item, blocks ?? asString(output?.content) ?? '', output?.success === false)
}

function resultDraft(item: Payload, content: string | Block[], is_error: boolean): Draft {
  return { type: 'tool_result', id: asString(item.id), tool_use_id: callId(item) ?? '', content, is_error }
}

function imageDrafts(item: Payload): Draft[] {
  const call = callDraft(item, 'image_generation', { revised_prompt: item.revised_prompt ?? null })
  if (typeof item.result !== 'string' || item.result === '') return [call]
  const image: Block = { type: 'image', media_type: null, data: item.result }
  return [call, { type: 'tool_result', tool_use_id: callId(item) ?? '', content: [image], is_error: false }]
}

/**
 * Older versions wrapped what a command printed: `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.3}}`.
 * The wrapper is removed, so that the text can be read and searched; nothing else that looks like JSON is touched.
 */
const WRAPPED = '{"output":"'
const WRAP_END = /","metadata":\{"exit_code":(-?\d+),"duration_seconds":[\d.e+-]+\}\}$/
/** Newer versions put a few lines before the output instead. */
const EXIT_LINE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const EXIT_HEAD = 400
const WRAP_TAIL = 120

function readOutput(text: string): { readonly text: string; readonly failed: boolean } {
  const end = text.startsWith(WRAPPED) ? WRAP_END.exec(text.slice(-WRAP_TAIL)) : null
  if (!end) return { text, failed: isFailure(EXIT_LINE.exec(headLines(text))?.[1]) }
  const output = asString(parsedObject(text)?.output)
  return output === undefined ? { text, failed: false } : { text: output, failed: isFailure(end[1]) }
}

/** The lines before the output itself, which may say anything. */
function headLines(text: string): string {
  const head = text.slice(0, EXIT_HEAD)
  const body = head.indexOf('\nOutput:\n')
  return body < 0 ? '' : head.slice(0, body)
}

function isFailure(exitCode: string | undefined): boolean {
  return exitCode !== undefined && exitCode !== '0'
}
