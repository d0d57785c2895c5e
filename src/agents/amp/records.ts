import type { Block, Content, TokenUsage } from '../../events/schema.ts'
import { groupBlocks, onFirst, textMessage, tokenUsage } from '../../native/content.ts'
import { asArray, asCount, asObject, asString, requireArray, requireObject } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'

/** A message of a thread, or a request of the ledger that made no message, as `{ ledger }`. */
export type AmpRecord = Readonly<Record<string, unknown>>

/**
 * `answeredAt`: times of answers by message id, from the ledger; newer threads have them in the message. `last`: the last
 * message of the thread.
 */
export function ampTranslator(
  answeredAt: ReadonlyMap<unknown, unknown>,
  last: unknown,
): (record: AmpRecord) => Draft[] | undefined {
  return (record) => {
    if ('ledger' in record) return [ledgerDraft(requireObject(record.ledger, 'ledger event'))]
    if (record.role === 'user') {
      const time = asObject(record.meta)?.sentAt
      return [...stateDrafts(record), ...messageDrafts(record, 'user')].map((draft) => ({ ...draft, time }))
    }
    if (record.role !== 'assistant') return undefined
    const usage = asObject(record.usage)
    const time = usage?.timestamp ?? answeredAt.get(record.messageId)
    // It stays so when Amp is killed. It may just as well be writing: the turn is not over, and was not interrupted either.
    const isOpen = record === last && asObject(record.state)?.type === 'streaming'
    const drafts = isOpen ? answer(record, usage).map(incomplete) : [...answer(record, usage), ...ending(record)]
    return drafts.map((draft) => ({ ...draft, time }))
  }
}

/** Costs that belong to no message, such as the title's. */
function ledgerDraft(event: AmpRecord): Draft {
  return {
    type: 'system',
    subtype: 'usage',
    id: asString(event.id),
    content: { operation: event.operationType ?? null, model: event.model ?? null },
    token_usage: tokenUsage(asObject(event.tokens) ?? {}, {
      input: 'input',
      output: 'output',
      cache_read: 'cacheReadInputTokens',
      cache_write: 'cacheCreationInputTokens',
    }),
    time: event.timestamp,
  }
}

/** The files that the user had open; in the CLI always an empty list. */
function stateDrafts(message: AmpRecord): Draft[] {
  const state = asObject(message.userState)
  const files = asArray(state?.currentlyVisibleFiles) ?? []
  return files.length ? [{ type: 'system', subtype: 'user_state', content: state }] : []
}

function answer(message: AmpRecord, usage: AmpRecord | undefined): Draft[] {
  const drafts = messageDrafts(message, 'assistant')
  if (usage && drafts.length === 0) drafts.push({ type: 'system', subtype: 'usage', content: null })
  return onFirst(drafts, asString(usage?.model), usage && toUsage(usage))
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
