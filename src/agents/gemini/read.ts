import { type Item, isNonRecord, isProblem, type NonRecord, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import { stampOf } from '../../native/walk.ts'
import { readWhole } from '../../native/window.ts'
import { filesOfSession } from './groups.ts'
import { createHistory } from './history.ts'

/** One JSON value has to be parsed at once. */
const MAX_JSON = 64 * 1024 * 1024

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = head.format === 'checkpoint' ? savedContents(head.path, reading) : sessionRecords(head, reading)
  return translate(head, records, createHistory(`${head.native_id}:start`), reading)
}

function* sessionRecords(head: SessionHead, reading: ReadContext): Generator<Keyed<JsonObject> | NonRecord> {
  const files = filesOfSession(head.path, head.native_id, reading)
  for (const [index, path] of files.entries()) {
    if (path.endsWith('.json')) yield* wholeRecords(path, reading)
    else yield* lineRecords(path, index === 0 ? '' : `${index}`, reading)
  }
}

function* lineRecords(path: string, file: string, reading: ReadContext): Generator<Keyed<JsonObject> | NonRecord> {
  for (const line of keyedLines(path, reading)) yield isNonRecord(line) ? line : { ...line, key: file + line.key }
}

/** 0.21 to 0.33: one object with everything. */
function* wholeRecords(path: string, reading: ReadContext): Generator<Keyed<JsonObject> | NonRecord> {
  const value = parseWhole(path, reading)
  if (isProblem(value)) {
    yield value
    return
  }
  const { messages, ...metadata } = asObject(value.json) ?? {}
  yield { record: metadata, key: 'metadata' }
  yield* numbered(asArray(messages) ?? [], (message) => asObject(message) ?? { message })
}

/** `/chat save`: the bare contents, as sent to the model. Older versions wrote only the list. */
function* savedContents(path: string, reading: ReadContext): Generator<Keyed<JsonObject> | NonRecord> {
  const value = parseWhole(path, reading)
  if (isProblem(value)) {
    yield value
    return
  }
  const history = asArray(value.json) ?? asArray(asObject(value.json)?.history) ?? []
  yield* numbered(history, (content, key) => {
    const { role, parts } = asObject(content) ?? {}
    if (role !== 'user' && role !== 'model') return { content }
    return { id: key, type: role === 'model' ? 'gemini' : 'user', content: parts }
  })
}

function* numbered(
  values: readonly unknown[],
  toRecord: (value: unknown, key: string) => JsonObject,
): Generator<Keyed<JsonObject>> {
  for (const [index, value] of values.entries()) yield { record: toRecord(value, `#${index}`), key: `#${index}` }
}

function parseWhole(path: string, reading: ReadContext): { json: unknown } | Problem {
  try {
    const size = stampOf(path)?.size ?? 0
    if (size > MAX_JSON)
      return { code: 'too_large', problem: `one JSON of ${Math.round(size / 1e6)} MB is too large to read`, path }
    return { json: JSON.parse(readWhole(path, reading).toString('utf8')) }
  } catch (error) {
    reading.coverage.bad++
    return cannotRead(path, error)
  }
}
