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
 * message without content. Undefined when nothing is repeated.
 */
export function linesAgainstRepeatedResults(path: string, reading: ReadContext): string | undefined {
  const lines = [...repeatsAmong(currentTurns(path, reading))].map(([id, { timestamp }]) =>
    JSON.stringify({ id, timestamp, type: 'user', content: [] }),
  )
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

function turnOf({ type, timestamp, content, toolCalls }: GeminiMessage): Turn {
  if (type === 'gemini') {
    const calls = (asArray(toolCalls) ?? []).map((call) => asObject(call) ?? {})
    const sends = calls.flatMap(({ id, result }) => (result ? resultKeys(id, result) : []))
    return { isModel: true, timestamp, sends }
  }
  const parts = type === 'user' ? partsOf(content) : []
  const sends = parts.some((part) => part.functionResponse) ? parts.map(keyOf) : []
  return { isModel: false, timestamp, sends }
}

/** What Gemini sends for a stored result: its parts, or a response with its text. */
function resultKeys(id: unknown, result: unknown): string[] {
  const parts = typeof result === 'string' ? [] : partsOf(result)
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
