import { isDeepStrictEqual } from 'node:util'
import { attempt, IonError } from '../platform/error.ts'
import { asObject } from './narrow.ts'
import { type Settings, valueAt, withValue } from './settings.ts'
import { type TomlEntry, tomlParts } from './toml-entries.ts'

export type TomlValue = string | boolean | number | readonly string[]

/** Loaded on first use: few commands look into such files. Throws when the text is not TOML. */
export function parseToml(text: string): Settings {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  // Cloned, since its tables have no prototype and would not equal one of ours.
  return structuredClone(parse(text, { integersAsBigInt: 'asNeeded' }))
}

/**
 * The text with one value set: replaced, or on a line that is added to its table, or in a new table at the end. Everything
 * else, comments included, stays byte for byte. Each candidate is parsed and accepted only if exactly that value changed.
 */
export function withTomlValue(text: string, path: readonly string[], value: TomlValue): string {
  const before = parseToml(text)
  if (isDeepStrictEqual(valueAt(before, path), value)) return text
  const changed = accepted(candidates(text, path, tomlText(value)), withValue(before, path, value))
  if (changed !== undefined) return changed
  throw unchangeable(path, `set ${keyText(path)} = ${tomlText(value)} by hand`)
}

/** The text without a value and its line. */
export function withoutTomlValue(text: string, path: readonly string[]): string {
  const before = parseToml(text)
  if (valueAt(before, path) === undefined) return text
  const lines = entriesAt(text, path).map((entry) => withoutLines(text, entry))
  const changed = accepted(lines, withValue(before, path, undefined))
  if (changed !== undefined) return changed
  throw unchangeable(path, `remove ${keyText(path)} by hand`)
}

/** A value as it is written in a file. */
export function tomlText(value: TomlValue): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (typeof value !== 'string') return `[${value.map(tomlText).join(', ')}]`
  // What JSON leaves as it is and TOML does not allow.
  return JSON.stringify(value).replaceAll('\x7f', '\\u007F')
}

function accepted(texts: Iterable<string>, wanted: Settings): string | undefined {
  const meaning = withoutEmpty(wanted)
  for (const text of texts) {
    const parsed = attempt(() => parseToml(text))
    if (parsed && isDeepStrictEqual(withoutEmpty(parsed), meaning)) return text
  }
  return undefined
}

/** A header stays where the last value of its table was removed. */
function withoutEmpty(value: unknown): unknown {
  const table = isTable(value) ? asObject(value) : undefined
  if (!table) return value
  const filled = Object.entries(table)
    .map(([key, one]) => [key, withoutEmpty(one)])
    .filter(([, one]) => one !== undefined)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}

function isTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function* candidates(text: string, path: readonly string[], value: string): Generator<string> {
  const { entries, headers } = tomlParts(text)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const parent = path.slice(0, -1)
  for (const { valueStart, valueEnd } of entriesAt(text, path)) {
    yield text.slice(0, valueStart) + value + text.slice(valueEnd)
  }
  // After the last value of the same table, in its form and as far indented.
  const sibling = entries.findLast((entry) => !entry.isInline && isDeepStrictEqual(entry.path.slice(0, -1), parent))
  if (sibling) {
    const indent = text.slice(lineStart(text, sibling.keyStart), sibling.keyStart)
    yield insertAfter(
      text,
      sibling.valueEnd,
      `${indent}${keyText(path.slice(sibling.table.length))} = ${value}`,
      newline,
    )
  }
  const line = `${keyText(path.slice(-1))} = ${value}`
  for (const header of headers) {
    if (!header.isElement && isDeepStrictEqual(header.path, parent)) yield insertAfter(text, header.end, line, newline)
  }
  if (parent.length === 0) yield insertOnTop(text, headers[0]?.start, line, newline)
  else {
    const body = text.trimEnd()
    yield `${body}${body && newline + newline}[${keyText(parent)}]${newline}${line}${newline}`
  }
}

/** Before the first table and the comment above it. */
function insertOnTop(text: string, firstHeader: number | undefined, line: string, newline: string): string {
  if (firstHeader === undefined) return `${text}${/[^\n]$/.test(text) ? newline : ''}${line}${newline}`
  const above = text.slice(0, lineStart(text, firstHeader))
  const [comment] = /(?:(?<=^|\n)[ \t]*#[^\n]*\n)+$/.exec(above) ?? ['']
  const at = above.length - comment.length
  return `${text.slice(0, at)}${line}${newline}${newline}${text.slice(at)}`
}

function insertAfter(text: string, offset: number, line: string, newline: string): string {
  const end = lineEnd(text, offset)
  const rest = text.slice(end)
  const head = text.slice(0, end).replace(/\r$/, '')
  return `${head}${newline}${line}${rest === '' ? newline : newline === '\r\n' ? `\r${rest}` : rest}`
}

function withoutLines(text: string, { keyStart, valueEnd }: TomlEntry): string {
  return text.slice(0, lineStart(text, keyStart)) + text.slice(lineEnd(text, valueEnd) + 1)
}

function entriesAt(text: string, path: readonly string[]): TomlEntry[] {
  return tomlParts(text).entries.filter((entry) => isDeepStrictEqual(entry.path, path))
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end
}

function keyText(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : tomlText(key))).join('.')
}

function unchangeable([first]: readonly string[], hint: string): IonError {
  return new IonError('failed', `${first} is written in a form that Ion does not change`, { hint })
}
