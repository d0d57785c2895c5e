import { dirname, join } from 'node:path'
import { asObject } from '../../native/narrow.ts'
import { settingsText } from '../../native/settings.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { geminiRoot } from './paths.ts'

export type Settings = Readonly<Record<string, unknown>>

/** The file that overrides the user's and the project's, whether it exists or not. */
export function systemSettingsFile({ env, platform }: Io): string {
  if (env.GEMINI_CLI_SYSTEM_SETTINGS_PATH) return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH
  if (platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json'
  if (platform === 'win32') return 'C:\\ProgramData\\gemini-cli\\settings.json'
  return '/etc/gemini-cli/settings.json'
}

/** The file with the lowest priority. Gemini looks for it beside the system settings, wherever those are. */
export function systemDefaultsFile(io: Io): string {
  return io.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(dirname(systemSettingsFile(io)), 'system-defaults.json')
}

/** The user's own file, the one that Gemini's dialogs write. */
export function userSettingsFile(io: Io): string {
  return join(geminiRoot(io), 'settings.json')
}

/** The files that count, the highest priority first. The project's counts only in a trusted folder and is ignored. */
export function settingsFiles(io: Io): string[] {
  return [systemSettingsFile(io), userSettingsFile(io), systemDefaultsFile(io)]
}

/** A value such as `security.auth.selectedType`. */
export function setting(io: Io, path: string): unknown {
  for (const file of settingsFiles(io)) {
    let value: unknown = readJson(file)
    for (const key of path.split('.')) value = asObject(value)?.[key]
    if (value !== undefined) return value
  }
  return undefined
}

/** One of Gemini's files, which may have comments; empty when it does not exist. */
export function readJson(file: string): Settings {
  const text = withoutComments(settingsText(file))
  if (text.trim() === '') return {}
  try {
    return asObject(JSON.parse(text)) ?? {}
  } catch (error) {
    throw new IonError('failed', `${file} is not JSON: ${messageOf(error)}`, {
      cause: error,
      hint: 'fix the file by hand',
    })
  }
}

/** The settings with one value set. A file with comments is refused: they would be lost. */
export function withSetting(file: string, keys: readonly string[], value: unknown): string {
  const text = settingsText(file)
  if (withoutComments(text) !== text) {
    throw new IonError('failed', `${file} has comments, which Ion would lose`, {
      hint: `set ${keys.join('.')} to ${JSON.stringify(value)} there by hand`,
    })
  }
  return `${JSON.stringify(withValue(readJson(file), keys, value), null, 2)}\n`
}

export function withValue(settings: Settings, [key, ...rest]: readonly string[], value: unknown): Settings {
  const inner = rest.length ? withValue(asObject(settings[key!]) ?? {}, rest, value) : value
  return { ...settings, [key!]: inner }
}

/** Strings are skipped, so that `https://` stays. */
export function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) => (found.startsWith('"') ? found : ''))
}
