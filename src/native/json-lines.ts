import { isUtf8 } from 'node:buffer'
import type { Problem, Span } from '../events/item.ts'
import { messageOf } from '../platform/error.ts'
import { LineCursor } from './line-cursor.ts'
import type { Reading } from './reading.ts'

export type JsonObject = Record<string, unknown>

export interface JsonLine {
  readonly record: JsonObject
  readonly line: number
  readonly span: Span
}

const SPACE = 32

/**
 * The objects of a JSON Lines file from byte `from` on. A bad line is a counted problem in its place; a last line that
 * is still being written (no newline, does not parse) is not one. A missing file is a problem, not an exception.
 */
export function* readJsonLines(path: string, reading: Reading, from = 0): Generator<JsonLine | Problem> {
  let cursor: LineCursor
  try {
    cursor = new LineCursor(path, reading, from)
  } catch (error) {
    yield { problem: `cannot open: ${messageOf(error)}`, path }
    return
  }
  try {
    yield* linesOf(cursor, reading)
  } catch (error) {
    yield { problem: `cannot read: ${messageOf(error)}`, path }
  } finally {
    cursor.close()
  }
}

function* linesOf(cursor: LineCursor, reading: Reading): Generator<JsonLine | Problem> {
  const { path } = cursor
  while (cursor.next()) {
    const { line, offset, length, terminated } = cursor
    if (cursor.tooLong) {
      reading.coverage.bad++
      yield { problem: `line of ${Math.round(length / 1e6)} MB is too long to read`, path, line, offset }
      continue
    }
    if (isBlank(cursor)) continue
    const bytes = cursor.buffer.subarray(cursor.start, cursor.end)
    if (!isUtf8(bytes) && terminated) yield { problem: 'invalid UTF-8; shown with �', path, line, offset }
    let value: unknown
    try {
      value = JSON.parse(decode(bytes, offset))
    } catch (error) {
      if (!terminated) return
      reading.coverage.bad++
      yield { problem: `not JSON: ${messageOf(error).slice(0, 120)}`, path, line, offset }
      continue
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      reading.coverage.bad++
      yield { problem: 'not a JSON object', path, line, offset }
      continue
    }
    yield { record: value as JsonObject, line, span: { path, offset, length } }
  }
}

function isBlank(cursor: LineCursor): boolean {
  for (let i = cursor.start; i < cursor.end; i++) if (cursor.buffer[i]! > SPACE) return false
  return true
}

/** UTF-8, without a byte order mark at the start of the file. */
function decode(bytes: Buffer, offset: number): string {
  const hasMark = offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}
