import { fileURLToPath } from 'node:url'
import type { Block, Content, ModelCall, TokenUsage } from '../../events/schema.ts'
import { onFirst, toContent, tokenUsage } from '../../native/content.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { microDollars, type NoteUncounted } from '../../native/usage.ts'
import { attempt } from '../../platform/error.ts'
import { type Json, modelOf, type OpenCodeMessage } from './records.ts'

/** What a message says: its parts, and its model, tokens and error. */
export function messageDrafts({ info, parts }: OpenCodeMessage, noteUncounted?: NoteUncounted): Draft[] | undefined {
  const { role } = info
  if (role !== 'user' && role !== 'assistant') return undefined
  if (noteUncounted) for (const usage of stepUsages(parts)) noteUncounted(usage, 'repeated')
  const drafts = role === 'user' ? userDrafts(info, parts) : assistantDrafts(info, parts)
  const created = asObject(info.time)?.created
  return drafts.map((draft) => ({ ...draft, time: draft.time ?? created }))
}

/** What was typed and attached is one event; what OpenCode added follows. */
function userDrafts(info: Json, parts: readonly Json[]): Draft[] {
  const typed = parts.flatMap((part) => typedBlock(part) ?? [])
  const added = parts.filter((part) => !typedBlock(part)).flatMap((part) => partDrafts(part, info))
  return typed.length ? [{ type: 'user', id: asString(info.id), content: toContent(typed) }, ...added] : added
}

function assistantDrafts(info: Json, parts: readonly Json[]): Draft[] {
  const drafts = parts.flatMap((part) => partDrafts(part, info))
  const error = asObject(info.error)
  if (error) drafts.push(errorDraft(error))
  const token_usage = usageOf(asObject(info.tokens) ?? {})
  if (drafts.length === 0 && token_usage) drafts.push({ type: 'system', subtype: 'usage', content: null })
  return onFirst(drafts, modelOf(info), token_usage, token_usage && callOf(info, token_usage))
}

/**
 * A fork copies messages under new ids, with their times: time, model and tokens together identify the call.
 * The message of a step has the cost of the step, of a subscription 0.
 */
function callOf(info: Json, { input, output, cache_read, cache_write }: TokenUsage): ModelCall {
  const { created, completed } = asObject(info.time) ?? {}
  const times = [created, completed].map((time) => (typeof time === 'number' ? time : '')).join('-')
  const cost = microDollars(info.cost)
  const id = [times, modelOf(info) ?? '', [input, output, cache_read, cache_write].join('-')].join('/')
  return { id, ...(cost === undefined ? {} : { cost }) }
}

/** The end of a step repeats the tokens of its message. */
function stepUsages(parts: readonly Json[]): TokenUsage[] {
  return parts.flatMap((part) => (part.type === 'step-finish' ? (usageOf(asObject(part.tokens) ?? {}) ?? []) : []))
}

/**
 * `input` does not include what came from the cache. Versions that write `total` count reasoning separately from the output,
 * older ones inside it; the sum shows which.
 */
function usageOf(tokens: Json): TokenUsage | undefined {
  const { read: cache_read, write: cache_write } = asObject(tokens.cache) ?? {}
  const usage = tokenUsage(
    { ...tokens, cache_read, cache_write },
    { input: 'input', output: 'output', cache_read: 'cache_read', cache_write: 'cache_write', reasoning: 'reasoning' },
  )
  const sum = usage.input + usage.output + usage.cache_read + usage.cache_write + usage.reasoning
  if (sum === 0) return undefined
  return tokens.total === sum ? { ...usage, output: usage.output + usage.reasoning } : usage
}

/** Internal parts: the work tree before and after a step, and the step's sums. */
const bookkeeping: ReadonlySet<unknown> = new Set(['step-start', 'step-finish', 'snapshot', 'patch', 'agent'])

/** What the user typed or attached; undefined for what OpenCode added. */
export function typedBlock(part: Json): Block | undefined {
  if (part.type === 'file') return fileBlock(part)
  const typed = part.type === 'text' && part.synthetic !== true && part.ignored !== true && part.text !== ''
  return typed ? { type: 'text', text: asString(part.text) ?? '' } : undefined
}

function partDrafts(part: Json, message: Json): Draft[] {
  const id = asString(part.id)
  const time = asObject(part.time)?.start
  switch (part.type) {
    case 'text':
      return textDrafts(part, message).map((draft) => ({ ...draft, id, time }))
    case 'reasoning':
      return part.text ? [{ type: 'thinking', id, time, content: asString(part.text) ?? '' }] : []
    case 'tool':
      return toolDrafts(part)
    case 'file':
      return [{ type: 'assistant', id, content: [fileBlock(part)] }]
    case 'compaction':
      return [{ type: 'system', id, subtype: 'compaction_request', content: { auto: part.auto === true } }]
    case 'subtask': {
      const { type: _type, id: _id, ...content } = part
      return [{ type: 'system', id, subtype: 'subtask', content }]
    }
    case 'retry':
      return [{ ...errorDraft(asObject(part.error) ?? {}), id, time: asObject(part.time)?.created }]
    default:
      return bookkeeping.has(part.type) ? [] : [{ type: 'native', id, record: part }]
  }
}

/** An empty text was being streamed when the program ended: nothing of it is stored. */
function textDrafts(part: Json, message: Json): Draft[] {
  const text = asString(part.text) ?? ''
  if (text === '') return []
  if (part.synthetic === true) return [{ type: 'system', subtype: 'synthetic', content: text }]
  // Shown to the user and not sent to the model.
  if (part.ignored === true) return [{ type: 'system', subtype: 'notice', content: text }]
  if (message.summary === true) return [{ type: 'compaction', summary: text, replaces: [] }]
  return [{ type: 'assistant', content: [{ type: 'text', text }] }]
}

/** A part has the call, and its result once there is one. */
function toolDrafts(part: Json): Draft[] {
  const id = asString(part.id)
  const state = asObject(part.state)
  const call = asString(part.callID) ?? id ?? ''
  const time = asObject(state?.time)
  const use: Draft = {
    type: 'tool_use',
    id: call,
    time: time?.start,
    name: asString(part.tool) ?? '',
    input: inputOf(state ?? {}),
  }
  const result = { type: 'tool_result', id, time: time?.end, tool_use_id: call } as const
  switch (state?.status) {
    case 'pending':
    case 'running':
      return [use]
    case 'completed':
      return [use, { ...result, content: outputOf(state), is_error: false }]
    case 'error':
      return [use, { ...result, content: asText(state.error), is_error: true }]
    default:
      return [{ type: 'native', id, record: part }]
  }
}

/** While the model is writing the call there is only its text. */
function inputOf(state: Json): unknown {
  const { input, raw } = state
  const empty = input === undefined || input === null || Object.keys(Object(input)).length === 0
  return empty && raw ? { raw } : (input ?? {})
}

function outputOf(state: Json): Content {
  const text = asText(state.output)
  const attached = (asArray(state.attachments) ?? []).map((file) => fileBlock(asObject(file) ?? {}))
  return attached.length ? [{ type: 'text', text }, ...attached] : text
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** A `data:` URL contains the file, a `file:` URL names it. */
function fileBlock(part: Json): Block {
  const url = asString(part.url) ?? ''
  const media_type = asString(part.mime) ?? null
  const isImage = media_type === null || media_type.startsWith('image/')
  const inline = /^data:[^,]*;base64,/.exec(url)
  if (inline) {
    const data = url.slice(inline[0].length)
    if (isImage) return { type: 'image', media_type, data }
    return { type: 'file', path: asString(part.filename) || 'unnamed', media_type, data }
  }
  if (media_type?.startsWith('image/') && !url.startsWith('file:')) return { type: 'image', media_type, url }
  return { type: 'file', path: attempt(() => fileURLToPath(url)) ?? asString(part.filename) ?? url, media_type }
}

/** Without the response headers: they may contain cookies and account names. */
function errorDraft(error: Json): Draft {
  const { responseHeaders: _headers, ...data } = asObject(error.data) ?? {}
  const subtype = error.name === 'MessageAbortedError' ? 'interrupted' : 'api_error'
  return { type: 'system', subtype, content: { name: error.name ?? null, ...data } }
}
