import { isDeepStrictEqual } from 'node:util'
import { asObject } from '../../native/narrow.ts'
import { IonError } from '../../platform/error.ts'

type Table = Readonly<Record<string, unknown>>

/** Loaded on first use: only a start of Codex looks into its settings. Throws when the text is not TOML. */
export function parseToml(text: string): Table {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  // Cloned, since its tables have no prototype and would not equal one of ours.
  return structuredClone(parse(text, { integersAsBigInt: 'asNeeded' }))
}

/** The value at a path of keys; undefined when it is not set. */
export function valueAt(table: Table, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => asObject(value)?.[key], table)
}

/**
 * The text with one string set: its value replaced, or a line added to its table, or a new table at the end. Everything
 * else, comments included, stays byte for byte. Each candidate is parsed and taken only if exactly that value changed, so
 * a key of the same name elsewhere (in an array of tables, in a multi-line string) is never touched.
 */
export function withTomlString(text: string, table: readonly string[], key: string, value: string): string {
  const before = parseToml(text)
  const path = [...table, key]
  if (valueAt(before, path) === value) return text
  const after = withValue(before, path, value)
  const line = `${quotedKey(key)} = ${JSON.stringify(value)}`
  for (const candidate of candidates(text, table, key, line, JSON.stringify(value))) {
    if (isDeepStrictEqual(parsedOrUndefined(candidate), after)) return candidate
  }
  throw new IonError('failed', `${table[0]} is written in a form that Ion does not change`, {
    hint: `set ${table.map(quotedKey).join('.')}.${line} by hand`,
  })
}

function* candidates(
  text: string,
  table: readonly string[],
  key: string,
  line: string,
  value: string,
): Generator<string> {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const name = key.replace(/[^\w-]/g, '\\$&')
  const written = new RegExp(
    `((?:^|[\\s.{,])["']?${name}["']?[ \\t]*=[ \\t]*)("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|[^\\s#,}]+)`,
    'g',
  )
  for (const { index, 0: all, 1: start } of text.matchAll(written)) {
    yield text.slice(0, index + start!.length) + value + text.slice(index + all.length)
  }
  for (const { index, 0: header } of text.matchAll(/^[ \t]*\[.*$/gm)) {
    const end = index + header.length
    yield `${text.slice(0, end).trimEnd()}${newline}${line}${text.slice(end) || newline}`
  }
  const body = text.trimEnd()
  yield `${body}${body && newline + newline}[${table.map(quotedKey).join('.')}]${newline}${line}${newline}`
}

function parsedOrUndefined(text: string): Table | undefined {
  try {
    return parseToml(text)
  } catch {
    return undefined
  }
}

function withValue(table: Table, [key, ...rest]: readonly string[], value: unknown): Table {
  return { ...table, [key!]: rest.length ? withValue(asObject(table[key!]) ?? {}, rest, value) : value }
}

function quotedKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}
