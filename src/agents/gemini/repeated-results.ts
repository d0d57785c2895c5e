import { isNonRecord } from '../../events/item.ts'
import { type JsonObject, readJsonLines } from '../../native/json-lines.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readTail } from '../../native/window.ts'
import { type GeminiMessage, partsOf } from './records.ts'

/**
 * Gemini stores a tool's result with its call and again as a message, and 0.60 and newer send both when they resume, which
 * the API refuses: every resume of a session with tools fails (google-gemini/gemini-cli#29365). These lines, at the end of the
 * file, empty the messages that repeat results: a line replaces an earlier one with the same id, and Gemini does not send a
 * message without content. Undefined when nothing is repeated.
 */
export function linesAgainstRepeatedResults(path: string, reading: ReadContext): string | undefined {
  const repeats = [...repeatedResults(currentMessages(path, reading))]
  if (repeats.length === 0) return undefined
  const lines = repeats.map(({ id, timestamp }) => JSON.stringify({ id, timestamp, type: 'user', content: [] }))
  // A line that was cut off by a kill must not swallow the first of them.
  const isTorn = readTail(path, 1, reading).toString() !== '\n'
  return `${isTorn ? '\n' : ''}${lines.join('\n')}\n`
}

/** The messages as Gemini loads them, in their order. */
function currentMessages(path: string, reading: ReadContext): GeminiMessage[] {
  const messages = new Map<string, GeminiMessage>()
  const take = (message: JsonObject): void => {
    const id = asString(message.id)
    if (id && typeof message.type === 'string') messages.set(id, message)
  }
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) continue
    const { record } = line
    if (typeof record.$rewindTo === 'string') rewind(messages, record.$rewindTo)
    const list = asArray(asObject(record.$set)?.messages)
    if (list) messages.clear()
    for (const message of list ?? []) take(asObject(message) ?? {})
    take(record)
  }
  return [...messages.values()]
}

/** Gemini drops everything when it does not know the message. */
function rewind(messages: Map<string, GeminiMessage>, target: string): void {
  const ids = [...messages.keys()]
  for (const id of ids.slice(Math.max(0, ids.indexOf(target)))) messages.delete(id)
}

/** Messages of which every part has been sent before, with the call or in another message. */
function* repeatedResults(messages: readonly GeminiMessage[]): Generator<GeminiMessage> {
  let sent = new Set<string>()
  for (const message of messages) {
    const parts = partsOf(message.content)
    if (message.type === 'gemini') {
      const calls = (asArray(message.toolCalls) ?? []).map((call) => asObject(call) ?? {})
      sent = new Set(calls.flatMap(({ id, result }) => (result ? resultKeys(id, result) : [])))
    } else if (message.type === 'user' && parts.some((part) => part.functionResponse)) {
      const keys = parts.map(keyOf)
      if (keys.every((key) => sent.has(key))) yield message
      for (const key of keys) sent.add(key)
    }
  }
}

/** What Gemini sends for a stored result: its parts, or a response with its text. */
function resultKeys(id: unknown, result: unknown): string[] {
  const parts = typeof result === 'string' ? [] : partsOf(result)
  return parts.length ? parts.map(keyOf) : [`response to ${id}`]
}

function keyOf(part: JsonObject): string {
  const response = asObject(part.functionResponse)
  return response?.id === undefined ? JSON.stringify(part) : `response to ${response.id}`
}
