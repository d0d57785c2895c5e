import { type Item, isEvent, isProblem } from '../events/item.ts'
import type { IonEvent } from '../events/schema.ts'
import { addTokens, noTokens, type Summary, titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'

/** Counts a session by reading all of it: used for stores that are not large, and to check the scanners of those that are. */
export function summarise(items: Iterable<Item>): Summary {
  const summary = startSummary()
  for (const item of items) addItem(summary, item)
  return summary
}

/** A summary that grows item by item, for those who do not read a session in one go. */
export type GrowingSummary = { -readonly [K in keyof Summary]: Summary[K] }

export function startSummary(): GrowingSummary {
  return {
    messages: 0,
    tool_calls: 0,
    tokens: noTokens,
    model: null,
    first_prompt: null,
    created_at: null,
    updated_at: null,
    problems: 0,
  }
}

export function addItem(summary: GrowingSummary, item: Item): void {
  if (isProblem(item)) summary.problems++
  if (!isEvent(item)) return
  const { event } = item
  countEvent(summary, event)
  if (event.type !== 'session_start' && !event.timestamp_guessed) noteTime(summary, event.timestamp)
}

/** Counts everything but the time. */
export function countEvent(summary: GrowingSummary, event: IonEvent): void {
  if (event.type === 'user' || event.type === 'assistant') summary.messages++
  if (event.type === 'tool_use') summary.tool_calls++
  if (event.token_usage) summary.tokens = addTokens(summary.tokens, event.token_usage)
  if (event.model) summary.model = event.model
  if (event.type === 'user') summary.first_prompt ??= titleFrom(contentText(event.content))
}

/** By the order in the file, not by the clock, which may have been set back. */
export function noteTime(summary: GrowingSummary, time: string): void {
  summary.created_at ??= time
  summary.updated_at = time
}
