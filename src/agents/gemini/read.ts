import { type Item, isNonRecord, type NonRecord } from '../../events/item.ts'
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
  const records =
    head.format === 'checkpoint' ? wholeFile(head.path, reading, savedContents) : sessionRecords(head, reading)
  return translate(head, records, createHistory(`${head.native_id}:start`, reading), reading)
}

export function textFiles(head: SessionHead, reading: ReadContext): readonly string[] {
  return head.format === 'checkpoint' ? [head.path] : filesOfSession(head.path, head.native_id, reading)
}

type Records = Generator<Keyed<JsonObject> | NonRecord>

function* sessionRecords(head: SessionHead, reading: ReadContext): Records {
  const files = filesOfSession(head.path, head.native_id, reading)
  for (const [index, path] of files.entries()) {
    if (path.endsWith('.json')) yield* wholeFile(path, reading, conversation)
    else yield* lineRecords(path, index === 0 ? '' : `${index}`, reading)
  }
}

function* lineRecords(path: string, file: string, reading: ReadContext): Records {
  for (const line of keyedLines(path, reading)) yield isNonRecord(line) ? line : { ...line, key: file + line.key }
}

/** 0.21 to 0.33: one object with everything. */
function* conversation(json: unknown): Records {
  const { messages, ...metadata } = asObject(json) ?? {}
  yield { record: metadata, key: 'metadata' }
  for (const [index, message] of (asArray(messages) ?? []).entries()) {
    yield { record: asObject(message) ?? { message }, key: `#${index}` }
  }
}

/** `/chat save`: the bare contents, as sent to the model. Older versions wrote only the list. */
function* savedContents(json: unknown): Records {
  const history = asArray(json) ?? asArray(asObject(json)?.history) ?? []
  for (const [index, content] of history.entries()) {
    const key = `#${index}`
    const { role, parts } = asObject(content) ?? {}
    if (role !== 'user' && role !== 'model') yield { record: { content }, key }
    else yield { record: { id: key, type: role === 'model' ? 'gemini' : 'user', content: parts }, key }
  }
}

function* wholeFile(path: string, reading: ReadContext, recordsOf: (json: unknown) => Records): Records {
  const size = stampOf(path)?.size ?? 0
  if (size > MAX_JSON) {
    yield { code: 'too_large', problem: `one JSON of ${Math.round(size / 1e6)} MB is too large to read`, path }
    return
  }
  try {
    yield* recordsOf(JSON.parse(readWhole(path, reading).toString('utf8')))
  } catch (error) {
    reading.coverage.bad++
    yield cannotRead(path, error)
  }
}
