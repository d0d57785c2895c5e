import { realpathSync, statSync } from 'node:fs'
import { replaceFile } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { asObject } from './narrow.ts'
import { readRegularFile } from './regular-file.ts'

const MAX_SETTINGS = 64 * 1024 * 1024

export type Settings = Readonly<Record<string, unknown>>

/** A settings file of an agent: JSON, with comments allowed. Empty if it does not exist. */
export function readSettings(file: string): Settings {
  const text = settingsText(file)
  try {
    return asObject(JSON.parse(withoutComments(text).trim() || '{}')) ?? {}
  } catch (error) {
    throw new IonError('failed', `${file} is not JSON: ${messageOf(error)}`, {
      cause: error,
      hint: 'fix the file by hand',
    })
  }
}

/** The file's text; empty if it does not exist. */
export function settingsText(file: string): string {
  try {
    return readRegularFile(file, MAX_SETTINGS).toString('utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw new IonError('failed', `cannot read ${file}: ${messageOf(error)}`, {
      cause: error,
      hint: `check the permissions of ${file}`,
    })
  }
}

/** Keeps the file's mode, and writes through a symbolic link. */
export function writeSettings(file: string, content: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  replaceFile(stat ? realpathSync(file) : file, content, stat ? stat.mode & 0o777 : 0o600)
}

/** Strings are skipped, so that `https://` stays. */
export function withoutComments(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : '',
  )
}

/** The value at a path of keys; undefined when it is not set. */
export function valueAt(settings: Settings, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => asObject(value)?.[key], settings)
}

/** The settings with the value at a path of keys set. */
export function withValue(settings: Settings, [key, ...rest]: readonly string[], value: unknown): Settings {
  return { ...settings, [key!]: rest.length ? withValue(asObject(settings[key!]) ?? {}, rest, value) : value }
}
