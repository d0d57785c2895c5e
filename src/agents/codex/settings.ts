import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asString } from '../../native/narrow.ts'
import { settingsText, valueAt } from '../../native/settings.ts'
import { parseToml } from '../../native/toml.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { ancestors } from '../_shared/ancestors.ts'
import { codexRoot } from './paths.ts'

export function configFile(io: Io): string {
  return join(codexRoot(io), 'config.toml')
}

/** Looks up a value of config.toml by its keys; undefined when it is not set or not a string. */
export type Setting = (...path: readonly string[]) => string | undefined

/** Undefined when the file is not TOML: Codex itself refuses it and says where. */
export function settings(io: Io): Setting | undefined {
  const text = settingsText(configFile(io))
  const table = attempt(() => parseToml(text))
  return table && ((...path) => asString(valueAt(table, path)))
}

/**
 * The provider that a start will use; undefined when something other than config.toml may name it: an argument, a profile,
 * the settings of the machine or of the project.
 */
export function providerOf(args: readonly string[], cwd: string, io: Io, setting: Setting): string | undefined {
  const others = /^(-c|--config|-p|--profile|--oss|--local-provider|--ignore-user-config|--remote)/
  if (args.some((word) => others.test(word)) || setting('profile') !== undefined) return undefined
  const files = [join('/etc', 'codex'), ...ancestors(cwd).map((folder) => join(folder, '.codex', 'config.toml'))]
  if (files.some((file) => file !== configFile(io) && existsSync(file))) return undefined
  return setting('model_provider') ?? 'openai'
}

/** Whether the vendor's own provider is used without any trace of a login or a key. */
export function isLoggedOut(provider: string | undefined, io: Io, setting: Setting): boolean {
  if (provider !== 'openai' || setting('openai_base_url') !== undefined) return false
  // The login is not in a file then.
  if (setting('cli_auth_credentials_store') !== undefined) return false
  const names = ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_BASE_URL']
  return !names.some((name) => io.env[name]) && !existsSync(join(codexRoot(io), 'auth.json'))
}
