import { join, resolve } from 'node:path'
import { configHome, dataHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `XDG_DATA_HOME` moves it. */
export function dataFolder(io: Io): string {
  return join(dataHome(io), 'opencode')
}

/** The database that `opencode` opens: `OPENCODE_DB` (a relative name is in the data folder), else `opencode.db`. */
export function activeDatabase(io: Io): string {
  return resolve(dataFolder(io), io.env.OPENCODE_DB || 'opencode.db')
}

export function paths(io: Io): DataPath[] {
  return [
    { path: activeDatabase(io), what: 'sessions, with its -wal', env: ['OPENCODE_DB', 'XDG_DATA_HOME'] },
    { path: dataFolder(io), what: 'databases of other channels, the old JSON tree, logs', env: ['XDG_DATA_HOME'] },
    { path: join(configHome(io), 'opencode'), what: 'settings', env: ['XDG_CONFIG_HOME'] },
  ]
}
