import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compareVersions } from '../../platform/compare-versions.ts'
import type { AgentCommand, StartRequest } from '../start.ts'
import { readJson, systemDefaultsFile, systemSettingsFile, withValue } from './settings.ts'

/** From here on system settings are taken only from where nobody but root can write; 0.58.0 does not look. */
const CAREFUL = '0.59.0'

/**
 * Settings for this run alone: no session is deleted. Nothing when Gemini would not read them, for then it would not
 * read those of the machine either.
 */
export function keepingSettings({ folder, version, io }: StartRequest): Pick<AgentCommand, 'env' | 'files'> {
  const careful = version === undefined || compareVersions(version, CAREFUL) >= 0
  if (careful && !isRootsAlone(folder)) return {}
  const path = join(folder, 'system-settings.json')
  const settings = withValue(readJson(systemSettingsFile(io)), ['general', 'sessionRetention', 'enabled'], false)
  return {
    env: {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: path,
      // It stands beside the system settings, so that it would move with them.
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: systemDefaultsFile(io),
    },
    files: [{ path, content: `${JSON.stringify(settings, null, 2)}\n` }],
  }
}

/** Whether root owns the folder and all above it, and nobody else may write there. What is not there yet becomes ours. */
export function isRootsAlone(folder: string): boolean {
  if (process.getuid?.() !== 0) return false
  for (let path = folder; ; path = dirname(path)) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && (stat.isSymbolicLink() || stat.uid !== 0 || (stat.mode & 0o022) !== 0)) return false
    if (dirname(path) === path) return true
  }
}
