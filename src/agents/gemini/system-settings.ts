import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compareVersions } from '../../platform/compare-versions.ts'
import type { AgentCommand, StartRequest } from '../start.ts'
import { readJson, systemDefaultsFile, systemSettingsFile, withValue } from './settings.ts'

/** From this version on, system settings are read only from where nobody but root can write; 0.58.0 does not check. */
const CHECKS_OWNER = '0.59.0'

/**
 * Settings for this run only: no session is deleted. None when Gemini would not read them, for then it would not read
 * the machine's either.
 */
export function settingsWithoutRetention({ folder, version, io }: StartRequest): Pick<AgentCommand, 'env' | 'files'> {
  const checksOwner = version === undefined || compareVersions(version, CHECKS_OWNER) >= 0
  if (checksOwner && !isWritableByRootOnly(folder)) return {}
  const path = join(folder, 'system-settings.json')
  const settings = withValue(readJson(systemSettingsFile(io)), ['general', 'sessionRetention', 'enabled'], false)
  return {
    env: {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: path,
      // By default it is beside the system settings and would move with them.
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: systemDefaultsFile(io),
    },
    files: [{ path, content: `${JSON.stringify(settings, null, 2)}\n` }],
  }
}

/** Whether root owns the folder and all above it, and nobody else can write there. What does not exist yet will be ours. */
export function isWritableByRootOnly(folder: string): boolean {
  if (process.getuid?.() !== 0) return false
  for (let path = folder; ; path = dirname(path)) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && (stat.isSymbolicLink() || stat.uid !== 0 || (stat.mode & 0o022) !== 0)) return false
    if (dirname(path) === path) return true
  }
}
