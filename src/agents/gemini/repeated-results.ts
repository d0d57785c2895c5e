import { isNonRecord } from '../../events/item.ts'
import { type JsonObject, readJsonLines } from '../../native/json-lines.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readTail } from '../../native/window.ts'
import { hash53 } from '../../platform/hash.ts'
import { type GeminiMessage, partsOf } from './records.ts'

/**
 * Gemini stores a tool's result with its call and again as a message, and 0.60 and newer send both when they resume, which
 * the API refuses: every resume of a session with tools fails (google-gemini/gemini-cli#29365). These lines, at the end of the
 * file, empty the messages that repeat results: a line replaces an earlier one with the same id, and Gemini does not send a
 * message without content. Of calls that were made at once, a resume stores all results with each of them; there the line has
 * each call with its own. Undefined when nothing is repeated.
 */
export function linesAgainstRepeatedResults(path: string, reading: ReadContext): string | undefined {
  const turns = currentTurns(path, reading)
  const shared = [...turns.values()].flatMap(({ separated }) => (separated ? [JSON.stringify(separated)] : []))
  const repeated = [...repeatsAmong(turns)].map(([id, { timestamp }]) =>
    JSON.stringify({ id, timestamp, type: 'user', content: [] }),
  )
  const lines = [...shared, ...repeated]
  if (lines.length === 0) return undefined
  // A line that was cut off by a kill must not swallow the first of them.
  const isTorn = readTail(path, 1, reading).toString() !== '\n'
  return `${isTorn ? '\n' : ''}${lines.join('\n')}\n`
}

/** What matters of a message: the keys of the results that it sends, not the results. */
interface Turn {
  readonly isModel: boolean
  readonly timestamp: unknown
  readonly sends: readonly string[]
  /** The message with each result at its own call only, if another call has it too. */
  readonly separated?: GeminiMessage
}

/** The messages as Gemini loads them, by id and in their order. */
function currentTurns(path: string, reading: ReadContext): Map<string, Turn> {
  const turns = new Map<string, Turn>()
  const take = (message: GeminiMessage): void => {
    const id = asString(message.id)
    if (id && typeof message.type === 'string') turns.set(id, turnOf(message))
  }
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) continue
    const { record } = line
    if (typeof record.$rewindTo === 'string') rewind(turns, record.$rewindTo)
    const list = asArray(asObject(record.$set)?.messages)
    if (list) turns.clear()
    for (const message of list ?? []) take(asObject(message) ?? {})
    take(record)
  }
  return turns
}

/** Gemini drops everything when it does not know the message. */
function rewind(turns: Map<string, Turn>, target: string): void {
  const ids = [...turns.keys()]
  for (const id of ids.slice(Math.max(0, ids.indexOf(target)))) turns.delete(id)
}

function turnOf(message: GeminiMessage): Turn {
  const { type, timestamp, content, toolCalls } = message
  if (type === 'gemini') {
    const calls = (asArray(toolCalls) ?? []).map((call) => asObject(call) ?? {})
    const sends = calls.flatMap(({ id, result }) => (result ? resultKeys(id, result) : []))
    const own = separatedCalls(calls)
    return { isModel: true, timestamp, sends, ...(own ? { separated: { ...message, toolCalls: own } } : {}) }
  }
  const parts = type === 'user' ? partsOf(content) : []
  const sends = parts.some((part) => part.functionResponse) ? parts.map(keyOf) : []
  return { isModel: false, timestamp, sends }
}

/** Undefined if every call has its own result once, or if it is not clear which call they belong to. */
function separatedCalls(calls: readonly JsonObject[]): JsonObject[] | undefined {
  const ids = new Set(calls.map(({ id }) => id))
  const isShared = calls.some(({ id, result }) => {
    const answered = responseIds(result)
    return answered.some((other, at) => ids.has(other) && (other !== id || answered.indexOf(other) < at))
  })
  if (!isShared) return undefined
  const separated = calls.map((call) => ({ ...call, result: ownParts(call) }))
  return separated.every(({ result }) => result.length > 0) ? separated : undefined
}

function partsOfResult(result: unknown): JsonObject[] {
  return typeof result === 'string' ? [] : partsOf(result)
}

function responseIds(result: unknown): unknown[] {
  return partsOfResult(result).flatMap((part) => asObject(part.functionResponse)?.id ?? [])
}

/** The first response to the call, and what follows it before the next one: images have no id. */
function ownParts({ id, result }: JsonObject): JsonObject[] {
  const parts = partsOfResult(result)
  const from = parts.findIndex((part) => asObject(part.functionResponse)?.id === id)
  if (from < 0) return []
  const next = parts.findIndex((part, at) => at > from && part.functionResponse)
  return parts.slice(from, next < 0 ? undefined : next)
}

/** What Gemini sends for a stored result: its parts, or a response with its text. */
function resultKeys(id: unknown, result: unknown): string[] {
  const parts = partsOfResult(result)
  return parts.length ? parts.map(keyOf) : [`response to ${id}`]
}

function keyOf(part: JsonObject): string {
  const response = asObject(part.functionResponse)
  return response?.id === undefined ? String(hash53(JSON.stringify(part))) : `response to ${response.id}`
}

/** Messages of which every part has been sent since the model spoke: with its calls, or in another message. */
function* repeatsAmong(turns: ReadonlyMap<string, Turn>): Generator<[id: string, turn: Turn]> {
  let sent = new Set<string>()
  for (const [id, turn] of turns) {
    if (turn.isModel) sent = new Set(turn.sends)
    else if (turn.sends.length > 0 && turn.sends.every((key) => sent.has(key))) yield [id, turn]
    else for (const key of turn.sends) sent.add(key)
  }
}
