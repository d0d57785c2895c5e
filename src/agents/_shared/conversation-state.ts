import type { Block, Content } from '../../events/schema.ts'
import { imageBlock, onFirst, toContent } from '../../native/content.ts'
import { asArray, asObject, asString, requireArray, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { ToDrafts } from '../../native/translate.ts'

/**
 * The `ConversationState` that a family of agents stores as one JSON text per row of a database (conversation-rows.ts):
 * what each part of it means. A record is an entry of `history`, or `{ latest_summary }`, or `{ next_message }`.
 */
export type StateRecord = Readonly<Record<string, unknown>>

/** What the program itself sends when it resumes without a prompt. */
export const RESUME_PROMPT = 'In a few words, summarize our conversation so far.'

/** Remembers the last environment: every entry repeats it, and only a change is an event. */
export function conversationTranslator(): ToDrafts<StateRecord> {
  let environment: string | undefined
  const environmentDrafts = (user: StateRecord, key: string): Draft[] => {
    const state = asObject(asObject(user.env_context)?.env_state)
    const text = state && JSON.stringify(state)
    if (!text || text === environment) return []
    environment = text
    return [{ type: 'system', subtype: 'environment', content: state, id: `${key}:environment` }]
  }
  return (record, key) => {
    if ('latest_summary' in record) return [summaryDraft(record.latest_summary)]
    const user = asObject('next_message' in record ? record.next_message : record.user)
    const assistant = asObject(record.assistant)
    if (!user && !assistant) return undefined
    const metadata = asObject(record.request_metadata) ?? {}
    const asked = user ? [...environmentDrafts(user, key), ...userDrafts(user, key)] : []
    const askedAt = user?.timestamp ?? metadata.request_start_timestamp_ms
    const answered = assistant ? assistantDrafts(assistant, key, asString(metadata.model_id)) : []
    return [
      ...asked.map((draft) => ({ ...draft, time: askedAt })),
      ...answered.map((draft) => ({ ...draft, time: metadata.stream_end_timestamp_ms })),
    ]
  }
}

/** `[text, request metadata]`; only the text in older versions. */
function summaryDraft(value: unknown): Draft {
  const [text, metadata] = asArray(value) ?? [value]
  return {
    type: 'compaction',
    summary: requireString(text, 'latest_summary'),
    replaces: [],
    time: asObject(metadata)?.stream_end_timestamp_ms,
  }
}

function userDrafts(user: StateRecord, key: string): Draft[] {
  const context = asString(user.additional_context)
  return [
    ...(context ? [systemDraft('additional_context', context, `${key}:context`)] : []),
    ...contentDrafts(requireObject(user.content, 'user.content'), asArray(user.images) ?? [], key),
  ]
}

function contentDrafts(content: StateRecord, images: readonly unknown[], key: string): Draft[] {
  const pictures = images.map(toImage)
  const prompt = asObject(content.Prompt)
  if (prompt) return promptDrafts(requireString(prompt.prompt, 'Prompt.prompt'), pictures, key)
  const cancelled = asObject(content.CancelledToolUses)
  if (cancelled) {
    const prompt = asString(cancelled.prompt)
    return [
      ...resultDrafts(cancelled),
      systemDraft('interrupted', 'tool uses were cancelled', `${key}:cancelled`),
      ...(prompt === undefined ? [] : promptDrafts(prompt, pictures, key)),
    ]
  }
  const results = asObject(content.ToolUseResults)
  if (!results) return [{ type: 'native', record: content, id: `${key}:user` }]
  // A tool that returns images stores them beside its results.
  const shown: Draft[] = pictures.length ? [{ type: 'native', record: { images }, id: `${key}:images` }] : []
  return [...resultDrafts(results), ...shown]
}

function promptDrafts(text: string, pictures: readonly Block[], key: string): Draft[] {
  if (text === RESUME_PROMPT) return [systemDraft('resume_prompt', text, `${key}:user`)]
  const content: Content = pictures.length ? [{ type: 'text', text }, ...pictures] : text
  return [{ type: 'user', content, id: `${key}:user` }]
}

function resultDrafts(content: StateRecord): Draft[] {
  return requireArray(content.tool_use_results, 'tool_use_results').map((value): Draft => {
    const result = requireObject(value, 'tool use result')
    const tool_use_id = requireString(result.tool_use_id, 'tool_use_id')
    return {
      type: 'tool_result',
      id: `${tool_use_id}:result`,
      tool_use_id,
      content: resultContent(asArray(result.content) ?? []),
      is_error: result.status === 'Error',
    }
  })
}

function resultContent(parts: readonly unknown[]): Content {
  const blocks = parts.map((value): Block => {
    const part = asObject(value) ?? {}
    const text = asString(part.Text) ?? JSON.stringify('Json' in part ? part.Json : (value ?? null))
    return { type: 'text', text }
  })
  return toContent(blocks)
}

function assistantDrafts(assistant: StateRecord, key: string, model: string | undefined): Draft[] {
  const message = asObject(assistant.Response) ?? asObject(assistant.ToolUse)
  if (!message) return [{ type: 'native', record: assistant, id: key }]
  const text = asString(message.content) ?? ''
  const uses = asArray(message.tool_uses) ?? []
  const answer: Draft = { type: 'assistant', content: [{ type: 'text', text }], id: key }
  const drafts = [
    ...thinkingDrafts(message.thinking, key),
    ...(text || uses.length === 0 ? [answer] : []),
    ...uses.map(toolUse),
  ]
  return onFirst(drafts, model)
}

/** Newer versions store the model's reasoning beside the text, inside one or two wrappers. */
function thinkingDrafts(thinking: unknown, key: string): Draft[] {
  if (thinking === undefined || thinking === null) return []
  const inner = asObject(Object.values(asObject(thinking) ?? {})[0])
  const text = asString(thinking) ?? asString(asObject(thinking)?.text) ?? asString(inner?.text)
  if (text === undefined) return [{ type: 'native', record: { thinking }, id: `${key}:thinking` }]
  return [{ type: 'thinking', content: text, id: `${key}:thinking` }]
}

function toolUse(value: unknown): Draft {
  const use = requireObject(value, 'tool use')
  return {
    type: 'tool_use',
    id: requireString(use.id, 'id of a tool use'),
    name: requireString(use.name, 'name of a tool use'),
    input: use.args ?? {},
  }
}

/** `{ format, source: { Bytes: [numbers] } }` according to its source; never seen in a store. */
function toImage(value: unknown): Block {
  const image = asObject(value) ?? {}
  const bytes = Object.values(asObject(image.source) ?? {})[0]
  const data = asArray(bytes) ? Buffer.from(bytes as number[]).toString('base64') : asString(bytes)
  const format = asString(image.format)?.toLowerCase()
  return imageBlock(format && `image/${format}`, data)
}

function systemDraft(subtype: string, content: string, id: string): Draft {
  return { type: 'system', subtype, content, id }
}
