import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { type Config, noConfig } from './config.ts'

export function configFile(io: Io): string {
  return join(ionHome(io), 'config.toml')
}

/** The user's settings. Never throws. Without the file, this costs one look for it, and loads nothing. */
export async function loadConfig(io: Io): Promise<Config> {
  // A wrong ION_HOME is reported by whatever uses it.
  const file = attempt(() => configFile(io))
  if (file === undefined || !existsSync(file)) return noConfig
  const { readConfig } = await import('./read.ts')
  return readConfig(file, io)
}
