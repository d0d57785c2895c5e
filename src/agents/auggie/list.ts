import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, firstOf, headOrProblem, lastOf } from '../../native/file-head.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, fileSources } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { sessionsFolder } from './paths.ts'
import { type Fields, folderOf, readSession, requestNode } from './records.ts'

/** A file up to this size is parsed; of a larger one only both ends are read. */
const SMALL = 96 * 1024

const HEAD = 64 * 1024
const TAIL = 32 * 1024

/** What a list needs to know of a session. */
interface Sketch {
  /** `created`, `modified`, `customTitle` and the like. */
  readonly fields: Fields
  readonly model: string | undefined
  readonly folder: string | undefined
  readonly prompt: string | undefined
}

export function sources(reading: ReadContext): Iterable<Source | Problem> {
  return fileSources(sessionsFolder(reading.io), /^[^.].*\.json$/, reading)
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const stamp = source.files[0]
  if (!stamp) return
  yield* headOrProblem(source.path, () => {
    const sketch = sketchOf(stamp, reading)
    return isProblem(sketch) ? sketch : headOf(sketch, stamp)
  })
}

function sketchOf(stamp: FileStamp, reading: ReadContext): Sketch | Problem {
  const large = stamp.size > SMALL ? sketchLargeFile(stamp, reading) : undefined
  if (large) return large
  const session = readSession(stamp.path, reading)
  return isProblem(session) ? session : sketchSession(session)
}

/**
 * A large file without parsing it. Auggie indents by two, and a JSON string contains no newline, so a line that begins with
 * two spaces and a key is a field of the session, and one with four a field of `agentState`. Undefined when the file has
 * another layout.
 */
function sketchLargeFile({ path, size }: FileStamp, reading: ReadContext): Sketch | undefined {
  const head = readHead(path, Math.min(HEAD, size), reading).toString('utf8')
  const tail = readTail(path, Math.min(TAIL, size), reading).toString('utf8')
  if (!/^\{\r?\n {2}"/.test(head)) return undefined
  const lines = [...wholeLines(head, 'end'), ...wholeLines(tail, 'start')]
  const fields: Record<string, unknown> = {}
  for (const line of lines) {
    const [, name, value] = /^ {2}"(\w+)": (.*?),?$/.exec(line) ?? []
    if (name !== undefined) fields[name] = scalar(value!)
  }
  return {
    fields,
    model: lastOf(lines, textIn(/^ +"model_id": (".*"),?$/)) ?? lastOf(lines, textIn(/^ {4}"modelId": (".*"),?$/)),
    folder:
      firstOf(lines, textIn(/^ +"current_working_directory": (".*"),?$/)) ??
      firstOf(lines, textIn(/^ +"folder_root": (".*"),?$/)),
    prompt: firstOf(lines, textIn(/^ {8}"request_message": (".*"),?$/)),
  }
}

/** The lines of a window, without the one that is cut off. */
function wholeLines(text: string, cut: 'start' | 'end'): string[] {
  const lines = text.split(/\r?\n/)
  return cut === 'start' ? lines.slice(1) : lines.slice(0, -1)
}

function textIn(pattern: RegExp): (line: string) => string | undefined {
  return (line) => {
    const value = pattern.exec(line)?.[1]
    return value && asString(scalar(value))
  }
}

/** A value that fits on its line; `true` for the start of an object or an array. */
function scalar(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '{' || text === '[' ? true : undefined
  }
}

function sketchSession(session: Fields): Sketch {
  const exchanges = (asArray(session.chatHistory) ?? []).map((item) => asObject(asObject(item)?.exchange) ?? {})
  const model = exchanges.findLast((exchange) => asString(exchange.model_id))?.model_id
  return {
    fields: session,
    model: asString(model) || asString(asObject(session.agentState)?.modelId),
    folder: firstFolder(exchanges),
    prompt: exchanges.map(promptOf).find(Boolean),
  }
}

/** A session written by another program may have only the nodes. */
function promptOf(exchange: Fields): string | undefined {
  const node = asArray(exchange.request_nodes)?.find((value) => asObject(value)?.type === requestNode.text)
  return asString(exchange.request_message) || asString(asObject(asObject(node)?.text_node)?.content)
}

function firstFolder(exchanges: readonly Fields[]): string | undefined {
  for (const exchange of exchanges) {
    for (const value of asArray(exchange.request_nodes) ?? []) {
      const node = asObject(value)
      const folder = node?.type === requestNode.ideState && folderOf(asObject(node.ide_state_node) ?? {})
      if (folder) return folder
    }
  }
  return undefined
}

function headOf({ fields, model, folder, prompt }: Sketch, stamp: FileStamp): SessionHead {
  const parent = asString(fields.parentConversationId)
  const head = fileHead('auggie', basename(stamp.path, '.json'), [stamp])
  return {
    ...head,
    title: titleFrom(asString(fields.customTitle) || asString(fields.title) || prompt || ''),
    cwd: folder ?? null,
    created_at: toIso(fields.created) ?? null,
    updated_at: toIso(fields.modified) ?? head.updated_at,
    model: model || null,
    format: 'json',
    // Auggie refuses a file without these.
    resumable: Boolean(fields.sessionId && fields.created && fields.modified && fields.agentState),
    ...(parent ? { parent_session: sessionId('auggie', parent) } : {}),
  }
}
