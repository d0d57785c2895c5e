import { isDeepStrictEqual } from 'node:util'
import { type Settings, valueAt, withValue } from '../../native/settings.ts'
import { attempt, IonError } from '../../platform/error.ts'

/** Loaded on first use: only a start of Codex looks into its settings. Throws when the text is not TOML. */
export function parseToml(text: string): Settings {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  // Cloned, since its tables have no prototype and would not equal one of ours.
  return structuredClone(parse(text, { integersAsBigInt: 'asNeeded' }))
}

/**
 * The text with one string set: its value replaced, or a line added to its table, or a new table at the end. Everything
 * else, comments included, stays byte for byte. Each candidate is parsed and accepted only if exactly that value changed, so
 * a key of the same name elsewhere (in an array of tables, in a multi-line string) is never touched.
 */
export function withTomlString(text: string, table: readonly string[], key: string, value: string): string {
  const before = parseToml(text)
  const path = [...table, key]
  if (valueAt(before, path) === value) return text
  const after = withValue(before, path, value)
  for (const candidate of candidates(text, table, key, JSON.stringify(value))) {
    if (
      isDeepStrictEqual(
        attempt(() => parseToml(candidate)),
        after,
      )
    )
      return candidate
  }
  throw new IonError('failed', `${table[0]} is written in a form that Ion does not change`, {
    hint: `set ${path.map(quotedKey).join('.')} = ${JSON.stringify(value)} by hand`,
  })
}

function* candidates(text: string, table: readonly string[], key: string, value: string): Generator<string> {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const line = `${quotedKey(key)} = ${value}`
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

function quotedKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}
