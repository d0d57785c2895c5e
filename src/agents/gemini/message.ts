import type { Block, Content } from '../../events/schema.ts'
import { toContent } from '../../native/content.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { hash53 } from '../../platform/hash.ts'
import { type GeminiMessage, GUARD, isCompaction, machineAnswers, machineSubtype, partsOf, toBlock } from './records.ts'

/**
 * One thing that a message says. Gemini rewrites a message repeatedly, with more or less content, so each thing has a key by
 * which a copy is recognised.
 */
export interface Fact {
  readonly key: string
  readonly draft: Draft
  /** On calls and results: the call's id. Results are counted per call, wherever they are. */
  readonly call?: string
}

/** What a message says, each with its own id; undefined for an unknown type. */
export function factsOf(message: GeminiMessage, id: string): Fact[] | undefined {
  const facts = bareFacts(message, id)
  return facts?.map((fact) => ({ ...fact, draft: { time: message.timestamp, ...fact.draft } as Draft }))
}

function bareFacts(message: GeminiMessage, id: string): Fact[] | undefined {
  // A content that is neither text nor parts: the record is not what it seems, and is kept as native.
  if (typeof message.content === 'number' || typeof message.content === 'boolean') return undefined
  const parts = partsOf(message.content)
  switch (message.type) {
    case 'gemini':
      return modelFacts(message, parts, id)
    case 'user':
      // A resume of a file without ids writes the model's turns as the user's.
      return parts.some((part) => part.functionCall) ? modelFacts(message, parts, id) : userFacts(message, parts, id)
    case 'info':
    case 'warning':
    case 'error': {
      const content = textOf(parts)
      return [textFact(id, 0, content, { type: 'system', subtype: noticeSubtype(message.type, content), content })]
    }
    default:
      return undefined
  }
}

function noticeSubtype(type: string, text: string): string {
  if (type === 'info' && text.startsWith('Request cancelled')) return 'interrupted'
  return type === 'error' && text.startsWith('[API Error') ? 'api_error' : type
}

function userFacts(message: GeminiMessage, parts: readonly JsonObject[], id: string): Fact[] {
  const facts: Fact[] = []
  const said: Block[] = []
  const push = (text: string, draft: Draft): void => {
    facts.push(textFact(id, facts.length, text, draft))
  }
  const answersTool = parts.some((part) => part.functionResponse)
  const isGuarded = parts[0]?.text === GUARD
  for (const part of isGuarded ? parts.slice(1) : parts) {
    const text = asString(part.text)
    const subtype = text === undefined || isGuarded ? undefined : machineSubtype(text)
    const block = toBlock(part)
    if (part.functionResponse) facts.push(responseFact(part))
    else if (text !== undefined && subtype) push(text, { type: 'system', subtype, content: text })
    else if (text !== undefined && isCompaction(text)) push(text, { type: 'compaction', summary: text, replaces: [] })
    else if (block) said.push(block)
    else push(JSON.stringify(part), { type: 'native', record: part })
  }
  if (said.length === 0) return facts
  const shown = partsOf(message.displayContent).flatMap((part) => toBlock(part) ?? [])
  // A text beside a tool's result came with it: nobody typed it.
  if (answersTool) push(blockText(said), { type: 'system', subtype: 'tool_context', content: toContent(said) })
  else if (shown.length && blockText(shown) !== blockText(said)) {
    push(blockText(shown), { type: 'user', content: toContent(shown) })
    push(blockText(said), { type: 'system', subtype: 'expanded_prompt', content: toContent(said) })
  } else push(blockText(said), { type: 'user', content: toContent(said) })
  return facts
}

function modelFacts(message: GeminiMessage, parts: readonly JsonObject[], id: string): Fact[] {
  const calls = (asArray(message.toolCalls) ?? []).flatMap<JsonObject>((call) => asObject(call) ?? [])
  const said: Block[] = []
  const facts: Fact[] = thoughtsOf(message, parts).map((content, index) => ({
    key: `thought:${id}:${index}`,
    draft: { type: 'thinking', id: `${id}/thought-${index}`, content },
  }))
  const others: Fact[] = []
  for (const [index, part] of parts.entries()) {
    const call = asObject(part.functionCall)
    const block = toBlock(part)
    if (call) others.push(...callFacts(call, `${id}/call-${index}`, id))
    else if (block && part.thought !== true) said.push(block)
    else if (!block) others.push(textFact(id, index + 1, JSON.stringify(part), { type: 'native', record: part }))
  }
  const text = blockText(said)
  const subtype = machineAnswers[text]
  if (subtype) facts.push(textFact(id, 0, text, { type: 'system', subtype, content: text }))
  else if (text !== '') facts.push(textFact(id, 0, text, { type: 'assistant', content: said }))
  for (const [index, call] of calls.entries()) facts.push(...callFacts(call, `${id}/call-${index}`, id))
  return [...facts, ...others]
}

/** As parts they are `**subject** description`; the record's own field is written the same way. */
function thoughtsOf(message: GeminiMessage, parts: readonly JsonObject[]): string[] {
  const listed = asArray(message.thoughts)
  if (!listed) return parts.flatMap((part) => (part.thought === true ? (asString(part.text) ?? []) : []))
  return listed.flatMap((value) => {
    if (typeof value === 'string') return [value]
    const { subject, description } = asObject(value) ?? {}
    return [subject ? `**${subject}**` : '', asString(description) ?? ''].filter(Boolean).join(' ') || []
  })
}

function callFacts(call: JsonObject, fallback: string, messageId: string): Fact[] {
  const id = asString(call.id) || fallback
  const use: Draft = { type: 'tool_use', id, name: asString(call.name) ?? '', input: call.args ?? {} }
  const result = resultOfCall(call, id)
  const facts: Fact[] = [{ key: `call:${messageId}:${id}`, draft: use, call: id }]
  if (result) facts.push(resultFact(id, result, call.timestamp))
  return facts
}

/** A `functionResponse` part of a user's record. */
function responseFact(part: JsonObject): Fact {
  const { id, name } = asObject(part.functionResponse) ?? {}
  const { blocks, failed } = resultOfPart(part)
  const result = { content: toContent(blocks), is_error: failed }
  return resultFact(asString(id) ?? asString(name) ?? '', result, undefined)
}

function resultFact(id: string, result: ToolResult, time: unknown): Fact {
  return {
    key: 'result',
    call: id,
    draft: { type: 'tool_result', id: `${id}/result`, tool_use_id: id, ...result, ...(time ? { time } : {}) },
  }
}

/** A copy may differ in white space and is still the same text. */
function textFact(id: string, index: number, text: string, draft: Draft): Fact {
  const event = index === 0 ? id : `${id}.${index}`
  return { key: `text:${id}:${hash53(text.replace(/\s+/g, ''))}`, draft: { ...draft, id: event } as Draft }
}

function textOf(parts: readonly JsonObject[]): string {
  return parts.flatMap((part) => asString(part.text) ?? []).join('\n')
}

/** With images, so that two of them are not treated as the same. */
function blockText(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
}

interface ToolResult {
  readonly content: Content
  readonly is_error: boolean
}

const FAILED = new Set(['error', 'cancelled'])

/** The result in a tool call's record; undefined until the tool has finished. */
function resultOfCall(call: JsonObject, callId: string): ToolResult | undefined {
  const failed = FAILED.has(asString(call.status) ?? '')
  const { result } = call
  if (result === undefined || result === null) {
    return failed ? { content: asString(call.resultDisplay) ?? '', is_error: true } : undefined
  }
  // After a rewrite of the history it has the results of its neighbours too.
  const own = partsOf(result).filter((part) => {
    const id = asObject(part.functionResponse)?.id
    return id === undefined || id === callId
  })
  const results = own.map(resultOfPart)
  return {
    content: toContent(results.flatMap((part) => part.blocks)),
    is_error: failed || results.some((part) => part.failed),
  }
}

function resultOfPart(part: JsonObject): { blocks: Block[]; failed: boolean } {
  const functionResponse = asObject(part.functionResponse)
  if (!functionResponse) return { blocks: [toBlock(part) ?? asText(part)], failed: false }
  const response = asObject(functionResponse.response) ?? {}
  const said = response.error ?? response.output
  const text: Block = typeof said === 'string' ? { type: 'text', text: said } : asText(said ?? response)
  const extra = (asArray(functionResponse.parts) ?? []).flatMap((nested) => toBlock(asObject(nested) ?? {}) ?? [])
  return { blocks: [text, ...extra], failed: response.error !== undefined }
}

function asText(value: unknown): Block {
  return { type: 'text', text: JSON.stringify(value) }
}
