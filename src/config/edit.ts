import { type Settings, settingsText, writeSettings } from '../native/settings.ts'
import { parseToml, type TomlValue, withoutTomlValue, withTomlValue } from '../native/toml.ts'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { configFile } from './load.ts'
import { syntaxProblem } from './read.ts'
import { exampleLine, parseKey, settings, valueHint } from './setting.ts'

const EDIT = 'ion config edit'

/** Sets a value in the file, which keeps its comments and its order. */
export function setValue(key: string, words: readonly string[], io: Io): TomlValue {
  const { setting, path } = parseKey(key)
  const value = setting.fromWords(words, io)
  if (!setting.accepts(value)) {
    throw new IonError('usage', `"${words.join(' ')}" is not a value of ${key}`, {
      hint: valueHint(setting, words.join(' ')),
    })
  }
  change(io, path, (text, place) => withTomlValue(text, place, value))
  return value
}

/** Removes a value from the file. False if it is not in it. */
export function unsetValue(key: string, io: Io): boolean {
  return change(io, parseKey(key).path, withoutTomlValue)
}

/** A new file: every setting as a comment. */
export function templateText(): string {
  const entries = settings.map((setting) => `# ${setting.summary}: ${setting.allowed}\n# ${exampleLine(setting)}\n`)
  return `# Settings of Ion, see: ion config --help\n\n${entries.join('\n')}`
}

/** Throws, and changes nothing, if the file is not TOML or is written in a form that cannot be changed safely. */
function change(io: Io, path: readonly string[], edit: (text: string, path: readonly string[]) => string): boolean {
  const file = configFile(io)
  const text = settingsText(file)
  const changed = edited(file, io, () => edit(text, spelled(parseToml(text), path)))
  if (changed === text) return false
  writeSettings(file, changed)
  return true
}

function edited(file: string, io: Io, edit: () => string): string {
  try {
    return edit()
  } catch (cause) {
    if (cause instanceof IonError)
      throw new IonError(cause.kind, cause.message, { cause, hint: `${EDIT}; ${cause.hint}` })
    const { line, message } = syntaxProblem(cause)
    throw new IonError('failed', `${tilde(file, io)}, line ${line}: ${message}`, { cause, hint: EDIT })
  }
}

/** `color` stays what it is in a file that says so. */
function spelled(table: Settings, path: readonly string[]): readonly string[] {
  if (path[0] !== 'colour' && path[0] !== 'color') return path
  return [table.color === undefined ? 'colour' : 'color']
}
