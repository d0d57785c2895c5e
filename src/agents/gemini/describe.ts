import { titleFrom } from '../../events/session.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { parseLines } from '../../native/line-window.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import { attempt } from '../../platform/error.ts'
import { isConversation, isGuarded, partsOf, typedText } from './records.ts'

/** The first prompt follows the session's context within some ten kilobytes. */
const HEAD = 64 * 1024
const TAIL = 32 * 1024

/** What the first and last kilobytes of a file say. */
export interface Described {
  session?: string | undefined
  kind?: string | undefined
  summary?: string | undefined
  prompt?: string | undefined
  model?: string | undefined
  created?: string | undefined
  updated?: string | undefined
  /** It contains messages, even if they were rolled back. */
  spoken: boolean
  /** Gemini would find something to continue. */
  resumable: boolean
}

export function describeFile(stamp: FileStamp, reading: ReadContext): Described {
  const described: Described = { spoken: false, resumable: false }
  const whole = stamp.size <= HEAD
  const first = readHead(stamp.path, Math.min(HEAD, stamp.size), reading)
  const last = whole ? Buffer.alloc(0) : readTail(stamp.path, TAIL, reading)
  if (stamp.path.endsWith('.json')) describeJson(described, first, last, whole)
  else {
    for (const record of parseLines(first, whole ? 'whole' : 'head')) addRecord(described, record)
    for (const record of parseLines(last, 'tail')) addRecord(described, record)
  }
  // The middle of a large file was not read.
  return whole ? described : { ...described, spoken: true, resumable: true }
}

function addRecord(described: Described, record: JsonObject): void {
  if (typeof record.type === 'string') {
    addMessage(described, record)
    return
  }
  const data = asObject(record.$set) ?? record
  described.session = asString(data.sessionId) ?? described.session
  described.kind ??= asString(data.kind)
  described.summary = asString(data.summary) || described.summary
  described.created ??= toIso(data.startTime)
  const messages = asArray(data.messages)
  if (messages) described.resumable = false
  for (const message of messages ?? []) addMessage(described, asObject(message) ?? {})
  described.updated = toIso(data.lastUpdated) ?? described.updated
}

function addMessage(described: Described, message: JsonObject): void {
  const time = toIso(message.timestamp)
  described.created ??= time
  described.updated = time ?? described.updated
  described.model = asString(message.model) ?? described.model
  if (!isConversation(message)) return
  const typed = message.type === 'user' ? typedText(message) : ''
  const answered = message.type === 'gemini' && partsOf(message.content).length + (message.toolCalls ? 1 : 0) > 0
  if (typed.trim() === '' && !answered) return
  described.spoken = true
  // Gemini's own list skips commands.
  const isCommand = /^[/?]/.test(typed) && !isGuarded(message)
  if (typed && !isCommand) described.prompt ??= titleFrom(typed) ?? undefined
  if (answered || !isCommand) described.resumable = true
}

/** A small file is parsed; in a large one the keys are searched in the text around its messages. */
function describeJson(described: Described, first: Buffer, last: Buffer, whole: boolean): void {
  if (whole) {
    const record = asObject(JSON.parse(first.toString('utf8')))
    if (record) addRecord(described, record)
    return
  }
  const start = first.toString('utf8')
  const end = last.toString('utf8')
  described.session = stringAt(start, 'sessionId')
  described.created = toIso(stringAt(start, 'startTime'))
  described.updated = toIso(stringAt(start, 'lastUpdated'))
  described.summary = stringAt(end.slice(end.lastIndexOf(']')), 'summary')
  described.model = stringAt(end.slice(Math.max(0, end.lastIndexOf('"model"'))), 'model')
  for (const { index } of start.matchAll(/"type"\s*:\s*"user"/g)) {
    const rest = start.slice(index)
    const text = stringAt(rest, 'content') ?? stringAt(rest, 'text')
    described.prompt ??= text && titleFrom(typedText({ content: text })) ? (titleFrom(text) ?? undefined) : undefined
  }
}

/** The first string under a key. */
function stringAt(text: string, key: string): string | undefined {
  const found = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1]
  return found && attempt(() => JSON.parse(found) as string)
}
