import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Fields } from './records.ts'

/** What a list needs to know of a session. */
export interface Sketch {
  /** `created`, `modified`, `customTitle` and the like. */
  readonly fields: Fields
  readonly model: string | undefined
  readonly folder: string | undefined
  readonly prompt: string | undefined
}

const HEAD = 64 * 1024
const TAIL = 32 * 1024

/**
 * A large file without parsing it. Auggie indents by two, and a JSON string contains no newline, so a line that begins with
 * two spaces and a key is a field of the session, and one with four a field of `agentState`. Undefined when the file has
 * another layout.
 */
export function sketchLargeFile({ path, size }: FileStamp, reading: ReadContext): Sketch | undefined {
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
    model: last(lines, /^ +"model_id": (".*"),?$/) || last(lines, /^ {4}"modelId": (".*"),?$/),
    folder: first(lines, /^ +"current_working_directory": (".*"),?$/) || first(lines, /^ +"folder_root": (".*"),?$/),
    prompt: first(lines, /^ {8}"request_message": (".*"),?$/),
  }
}

/** The lines of a window, without the one that is cut off. */
function wholeLines(text: string, cut: 'start' | 'end'): string[] {
  const lines = text.split(/\r?\n/)
  return cut === 'start' ? lines.slice(1) : lines.slice(0, -1)
}

/** The first value that is not empty. */
function first(lines: readonly string[], pattern: RegExp): string | undefined {
  for (const line of lines) {
    const value = pattern.exec(line)?.[1]
    const text = value && asString(scalar(value))
    if (text) return text
  }
  return undefined
}

function last(lines: readonly string[], pattern: RegExp): string | undefined {
  return first(lines.toReversed(), pattern)
}

/** A value that fits on its line; `true` for the start of an object or an array. */
function scalar(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '{' || text === '[' ? true : undefined
  }
}
