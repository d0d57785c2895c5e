import { settingsText, valueAt, writeSettings } from '../native/settings.ts'
import { parseToml, type TomlValue, tomlText, withoutTomlValue, withTomlValue } from '../native/toml.ts'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { configFile } from './load.ts'
import { syntaxProblem } from './read.ts'
import { exampleLine, parseKey, settings } from './setting.ts'

/** Sets a value in the file, which keeps its comments and its order. */
export function setValue(key: string, words: readonly string[], io: Io): TomlValue {
  const { setting, path } = parseKey(key)
  const value = setting.fromWords(words, io)
  if (!setting.accepts(value)) {
    throw new IonError('usage', `${tomlText(value)} is not a value of ${key}`, { hint: `allowed: ${setting.allowed}` })
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
  const changed = edit(text, spelled(text, path, file, io))
  if (changed === text) return false
  writeSettings(file, changed)
  return true
}

/** `color` stays what it is in a file that says so. */
function spelled(text: string, path: readonly string[], file: string, io: Io): readonly string[] {
  try {
    const american =
      path.length === 1 && /^colou?r$/.test(path[0]!) && valueAt(parseToml(text), ['color']) !== undefined
    return american ? ['color'] : path[0] === 'color' ? ['colour'] : path
  } catch (error) {
    const { line, message } = syntaxProblem(error)
    throw new IonError('failed', `${tilde(file, io)}, line ${line}: ${message}`, {
      cause: error,
      hint: 'ion config edit',
    })
  }
}
