import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import { groupBlocks, onFirst, textMessage, tokenUsage } from '../../native/content.ts'
import { asArray, asCount, asObject, asString, requireArray, requireObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import { uncountedIn } from '../../native/usage.ts'

/** A message of a thread, or a request of the ledger as `{ ledger, isRepeated }`: it may repeat the usage of a message. */
export type AmpRecord = Readonly<Record<string, unknown>>

/**
 * `answeredAt`: times of answers by message id, from the ledger; newer threads have them in the message. `last`: the last
 * message of the thread.
 */
export function ampTranslator(
  answeredAt: ReadonlyMap<unknown, unknown>,
  last: unknown,
  reading: ReadContext,
): (record: AmpRecord) => Draft[] | undefined {
  return (record) => {
    if ('ledger' in record)
      return ledgerDrafts(requireObject(record.ledger, 'ledger event'), record.isRepeated === true, reading)
    if (record.role === 'user') {
      const time = asObject(record.meta)?.sentAt
      return [...stateDrafts(record), ...messageDrafts(record, 'user')].map((draft) => ({ ...draft, time }))
    }
    if (record.role !== 'assistant') return undefined
    const usage = asObject(record.usage)
    const time = usage?.timestamp ?? answeredAt.get(record.messageId)
    // It stays so when Amp is killed. It may just as well be writing: the turn is not over, and was not interrupted either.
    const isOpen = record === last && asObject(record.state)?.type === 'streaming'
    const drafts = isOpen
      ? answer(record, usage, time).map(incomplete)
      : [...answer(record, usage, time), ...ending(record)]
    return drafts.map((draft) => ({ ...draft, time }))
  }
}

/** Costs that belong to no message, such as the title's. */
function ledgerDrafts(event: AmpRecord, isRepeated: boolean, reading: ReadContext): Draft[] {
  const usage = tokenUsage(asObject(event.tokens) ?? {}, {
    input: 'input',
    output: 'output',
    cache_read: 'cacheReadInputTokens',
    cache_write: 'cacheCreationInputTokens',
  })
  if (isRepeated) {
    if (reading.onUncounted) uncountedIn(reading, asString(event.id) ?? '', event.timestamp)(usage, 'repeated')
    return []
  }
  return [ledgerDraft(event, usage)]
}

function ledgerDraft(event: AmpRecord, token_usage: TokenUsage): Draft {
  const id = asString(event.id)
  const model = asString(event.model)
  return {
    type: 'system',
    subtype: 'usage',
    id,
    content: { operation: event.operationType ?? null, model: event.model ?? null },
    ...(model ? { model } : {}),
    token_usage,
    ...(id ? { call: { id } } : {}),
    time: event.timestamp,
  }
}

/** The files that the user had open; in the CLI always an empty list. */
function stateDrafts(message: AmpRecord): Draft[] {
  const state = asObject(message.userState)
  const files = asArray(state?.currentlyVisibleFiles) ?? []
  return files.length ? [{ type: 'system', subtype: 'user_state', content: state }] : []
}

function answer(message: AmpRecord, usage: AmpRecord | undefined, time: unknown): Draft[] {
  const drafts = messageDrafts(message, 'assistant')
  if (usage && drafts.length === 0) drafts.push({ type: 'system', subtype: 'usage', content: null })
  if (!usage) return onFirst(drafts, undefined)
  const model = asString(usage.model)
  const counts = toUsage(usage)
  // A copy of a thread would have its messages with their times; the number of a message is only unique in its thread.
  const answered = toIso(time)
  const id = [answered, model ?? '', [counts.input, counts.output, counts.cache_read, counts.cache_write].join('-')]
  return onFirst(drafts, model, counts, answered ? { id: id.join('/') } : undefined)
}

/** The three kinds of input add up to `totalInputTokens`. */
function toUsage(usage: AmpRecord): TokenUsage {
  return tokenUsage(usage, {
    input: 'inputTokens',
    output: 'outputTokens',
    cache_read: 'cacheReadInputTokens',
    cache_write: 'cacheCreationInputTokens',
  })
}

/** It becomes the answer, with the same id, when Amp has written all of it. */
function incomplete(draft: Draft): Draft {
  if (draft.type !== 'assistant') return draft
  const { type: _, content, ...rest } = draft
  return { ...rest, type: 'system', subtype: 'incomplete', content }
}

function ending(message: AmpRecord): Draft[] {
  const state = asObject(message.state)
  // Amp was killed, and continued with another message.
  if (state?.type === 'cancelled' || state?.type === 'streaming')
    return [{ type: 'system', subtype: 'interrupted', content: state }]
  if (state?.type === 'error') return [{ type: 'system', subtype: 'api_error', content: state }]
  return []
}

function messageDrafts(message: AmpRecord, role: 'user' | 'assistant'): Draft[] {
  const { content } = message
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : requireArray(content, 'content')
  const blocks = values.map((value) => requireObject(value, 'content block'))
  const textBlock = (block: AmpRecord): Block | undefined =>
    block.type === 'text' ? { type: 'text', text: asString(block.text) ?? '' } : undefined
  return groupBlocks(blocks, textBlock, textMessage(role), blockDraft)
}

function blockDraft(block: AmpRecord): Draft {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', content: asString(block.thinking) ?? '' }
    case 'redacted_thinking':
      return { type: 'system', subtype: 'redacted_thinking', content: null }
    case 'tool_use':
      return { type: 'tool_use', id: asString(block.id), name: asString(block.name) ?? '', input: block.input ?? {} }
    case 'tool_result':
      return toolResult(block)
    default:
      return { type: 'native', record: block }
  }
}

const RUNNING: ReadonlySet<unknown> = new Set(['done', 'in-progress', 'queued', undefined])

function toolResult(block: AmpRecord): Draft {
  const run = asObject(block.run) ?? {}
  const result = asObject(run.result)
  const failed = result?.success === false || (asCount(result?.exitCode) ?? 0) > 0
  return {
    type: 'tool_result',
    tool_use_id: asString(block.toolUseID) ?? '',
    content: resultContent(run),
    is_error: failed || !RUNNING.has(run.status),
  }
}

/** Each tool has its own shape; the text is in the first of these fields, and what has none is returned as JSON. */
function resultContent(run: AmpRecord): Content {
  const { result } = run
  if (result === undefined || result === null) {
    return asString(asObject(run.error)?.message) ?? asString(run.error) ?? asString(run.status) ?? ''
  }
  const fields = asObject(result) ?? {}
  const text = [result, fields.output, fields.content, fields.diff].find((value) => typeof value === 'string')
  return asString(text) ?? JSON.stringify(result)
}
