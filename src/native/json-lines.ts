import { isAscii, transcode } from 'node:buffer'
import { END_OF_AVAILABLE, type NonRecord, type ProblemCode, type Span } from '../events/item.ts'
import { messageOf } from '../platform/error.ts'
import { type Line, type LineCursor, withLines } from './line-cursor.ts'
import type { ReadContext } from './read-context.ts'

export type JsonObject = Record<string, unknown>

export interface JsonLine {
  readonly record: JsonObject
  readonly line: number
  readonly span: Span
}

/**
 * The objects of a JSON Lines file from byte `from` on. A bad line is a counted problem in its place; a last line that
 * is still being written (no newline, does not parse) is not one. A missing file is a problem, not an exception.
 */
export function readJsonLines(path: string, reading: ReadContext, from = 0): Generator<JsonLine | NonRecord> {
  return withLines(path, reading, from, (cursor) => linesOf(cursor, reading))
}

function* linesOf(cursor: LineCursor, reading: ReadContext): Generator<JsonLine | NonRecord> {
  const { path } = cursor
  for (;;) {
    if (!cursor.next()) {
      if (!cursor.isFollowed) return
      yield END_OF_AVAILABLE
      cursor.lookAgain()
      continue
    }
    const { line, offset, length } = cursor
    if (hasBadText(cursor)) yield { ...BAD_TEXT, path, line, offset }
    const parsed = parseLine(cursor)
    if (parsed === 'torn') return
    if (parsed === 'blank') continue
    if ('problem' in parsed) {
      reading.coverage.bad++
      yield { ...parsed, path, line, offset }
    } else {
      yield { record: parsed.record, line, span: { path, offset, length } }
    }
  }
}

/** The last line from byte `from` on, where it has no newline and does not parse; its number counts from there. */
export function tornLine(path: string, reading: ReadContext, from = 0): { line: number; bytes: number } | undefined {
  const lines = withLines(path, reading, from, function* (cursor) {
    while (cursor.next()) if (parseLine(cursor) === 'torn') yield { line: cursor.line, bytes: cursor.length }
  })
  for (const found of lines) return 'bytes' in found ? found : undefined
  return undefined
}

/** The line has bytes that are not UTF-8: they are shown as �, with a problem. */
export function hasBadText(cursor: Line): boolean {
  return cursor.terminated && !cursor.isText
}

type BadLine = { readonly code: ProblemCode; readonly problem: string }

export const BAD_TEXT: BadLine = { code: 'invalid_utf8', problem: 'invalid UTF-8; shown with �' }

/** `torn` is a last line that is still being written. */
export type ParsedLine = 'blank' | 'torn' | { readonly record: JsonObject } | BadLine

export function tooLong({ length }: Line): BadLine {
  return { code: 'too_large', problem: `line of ${Math.round(length / 1e6)} MB is too long to read` }
}

export function parseLine(cursor: Line): ParsedLine {
  if (cursor.tooLong) return tooLong(cursor)
  const text = textOf(cursor)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (text.trim() === '') return 'blank'
    return cursor.terminated ? { code: 'not_json', problem: `not JSON: ${messageOf(error).slice(0, 120)}` } : 'torn'
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { code: 'not_json', problem: 'not a JSON object' }
  // Each level takes two characters.
  if (text.length > 2 * MAX_DEPTH && isTooDeep(value))
    return { code: 'too_deep', problem: `nested more than ${MAX_DEPTH} levels deep` }
  return { record: value as JsonObject }
}

/** The line as text, without a byte order mark at the start of the file. */
function textOf(cursor: Line): string {
  const { buffer, start, end, offset } = cursor
  const hasMark = offset === 0 && buffer[start] === 0xef && buffer[start + 1] === 0xbb && buffer[start + 2] === 0xbf
  const from = hasMark ? start + 3 : start
  return end - from >= LONG && cursor.isText ? longText(buffer.subarray(from, end)) : buffer.toString('utf8', from, end)
}

/** From this length on, the detour is faster. */
const LONG = 2048

/** Converting valid UTF-8 that is not ASCII to UTF-16 first takes Node half the time of `toString('utf8')`. */
function longText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le')
}

/**
 * JSON.parse accepts any depth, but JSON.stringify and recursive code run out of stack. No agent writes anything near
 * this.
 */
export const MAX_DEPTH = 500

export function isTooDeep(value: unknown, left: number = MAX_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return false
  if (left === 0) return true
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], left - 1)) return true
  return false
}
