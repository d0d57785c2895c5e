import { IonError } from '../../platform/error.ts'

/** A value of the settings file with the keys that lead to it: `['projects', '/home/dev/shop', 'trust_level']`. */
export interface TomlValue {
  readonly path: readonly string[]
  /** A string without its quotes; anything else as it is written. */
  readonly value: string
  /** The number of its line, and of its table's keys the path begins with. */
  readonly line: number
  readonly tableDepth: number
}

/**
 * The plain values of a TOML file: one key on one line, which is how Codex writes them and people do. What goes over
 * several lines is passed over.
 */
export function tomlValues(text: string): TomlValue[] {
  const values: TomlValue[] = []
  let table: readonly string[] = []
  for (const [line, words] of codeLines(text)) {
    const header = headerOf(words)
    if (header) table = header
    const [, key, rest] = /^((?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'|\s*\.\s*)+?)\s*=\s*(.*)$/.exec(words) ?? []
    if (header || key === undefined || rest === undefined) continue
    values.push({ path: [...table, ...keysOf(key)], value: plainValue(rest), line, tableDepth: table.length })
  }
  return values
}

/** The text with one value set: in its place, in its table, or in a new table at the end. */
export function withTomlValue(text: string, table: readonly string[], key: string, value: string): string {
  const path = [...table, key]
  const lines = text.split('\n')
  const values = tomlValues(text)
  const written = `${key} = ${value}`
  const there = values.find((one) => isSame(one.path, path))
  if (there && there.tableDepth === table.length) return lines.with(there.line, written).join('\n')
  // A table that is written in another form may not be opened a second time.
  if (there || values.some((one) => one.path[0] === table[0] && one.tableDepth === 0)) {
    throw new IonError('failed', `${table[0]} is written in a form that Ion does not change`, {
      hint: `set ${table.map(keyOf).join('.')}.${written} by hand`,
    })
  }
  const header = codeLines(text).find(([, words]) => isSame(headerOf(words) ?? [], table))
  if (header) return lines.toSpliced(header[0] + 1, 0, written).join('\n')
  return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}[${table.map(keyOf).join('.')}]\n${written}\n`
}

/** Lines outside of texts that go over several lines, trimmed, with their numbers. */
function codeLines(text: string): [number, string][] {
  const found: [number, string][] = []
  let closing: string | undefined
  for (const [number, line] of text.split('\n').entries()) {
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined
      continue
    }
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    found.push([number, words])
    const opening = /=\s*("""|''')/.exec(words)?.[1]
    if (opening && words.split(opening).length % 2 === 0) closing = opening
  }
  return found
}

function headerOf(words: string): string[] | undefined {
  const keys = /^\[([^[].*?)\]\s*(?:#.*)?$/.exec(words)?.[1]
  return keys === undefined ? undefined : keysOf(keys)
}

function keysOf(text: string): string[] {
  const words = text.match(/[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'/g) ?? []
  return words.map(unquoted)
}

function plainValue(text: string): string {
  const quoted = /^("(?:[^"\\]|\\.)*"|'[^']*')/.exec(text)?.[1]
  return quoted === undefined ? text.replace(/\s*#.*$/, '') : unquoted(quoted)
}

function unquoted(word: string): string {
  if (word.startsWith("'")) return word.slice(1, -1)
  if (!word.startsWith('"')) return word
  try {
    return JSON.parse(word) as string
  } catch {
    // An escape that JSON does not have.
    return word.slice(1, -1)
  }
}

function keyOf(word: string): string {
  return /^[\w-]+$/.test(word) ? word : JSON.stringify(word)
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index])
}
