import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSettings, valueAt, withValue } from '../../native/settings.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { isWithin } from '../../platform/project.ts'
import { ancestors } from '../_shared/ancestors.ts'
import { isSince } from '../_shared/start.ts'
import type { AgentCommand, StartRequest } from '../start.ts'
import { geminiRoot } from './paths.ts'

/** The file that overrides the user's and the project's, whether it exists or not. */
function systemSettingsFile({ env, platform }: Io): string {
  if (env.GEMINI_CLI_SYSTEM_SETTINGS_PATH) return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH
  if (platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json'
  if (platform === 'win32') return 'C:\\ProgramData\\gemini-cli\\settings.json'
  return '/etc/gemini-cli/settings.json'
}

/** The file with the lowest priority. Gemini looks for it beside the system settings, wherever those are. */
function systemDefaultsFile(io: Io): string {
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
    const value = valueAt(readSettings(file), path.split('.'))
    if (value !== undefined) return value
  }
  return undefined
}

export function trustFile(io: Io): string {
  return io.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiRoot(io), 'trustedFolders.json')
}

/** Whether Gemini treats this folder as trusted; undefined: it has not asked yet. */
export function isTrusted({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): boolean | undefined {
  const { GEMINI_RESTRICTED_MODE, GEMINI_CLI_TRUST_WORKSPACE } = io.env
  if (GEMINI_RESTRICTED_MODE === 'true' || GEMINI_CLI_TRUST_WORKSPACE === 'false') return false
  if (GEMINI_CLI_TRUST_WORKSPACE === 'true' || args.includes('--skip-trust')) return true
  if (setting(io, 'security.folderTrust.enabled') === false) return true
  // The rule with the longest path wins.
  const rules = Object.entries(readSettings(trustFile(io))).sort(([one], [other]) => other.length - one.length)
  const rule = rules.find(([path, level]) => isWithin(real(cwd), real(level === 'TRUST_PARENT' ? dirname(path) : path)))
  return rule && rule[1] !== 'DO_NOT_TRUST'
}

function real(path: string): string {
  return attempt(() => realpathSync(path)) ?? resolve(path)
}

/** From this version on, system settings are read only from where nobody but root can write; 0.58.0 does not check. */
const CHECKS_OWNER = '0.59.0'

/**
 * Settings for this run only: no session is deleted. None when Gemini would not read them, for then it would not read
 * the machine's either.
 */
export function settingsWithoutRetention({ folder, version, io }: StartRequest): Pick<AgentCommand, 'env' | 'files'> {
  if (isSince(CHECKS_OWNER, version) && !isWritableByRootOnly(folder)) return {}
  const path = join(folder, 'system-settings.json')
  const settings = withValue(readSettings(systemSettingsFile(io)), ['general', 'sessionRetention', 'enabled'], false)
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
  return ancestors(folder).every((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return !stat || (!stat.isSymbolicLink() && stat.uid === 0 && (stat.mode & 0o022) === 0)
  })
}
