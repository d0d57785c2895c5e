import { join } from 'node:path'
import { dataHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `XDG_DATA_HOME` counts on Linux only; macOS has a fixed folder. */
export function dataFolder(io: Io): string {
  const data = io.platform === 'darwin' ? join(io.home, 'Library', 'Application Support') : dataHome(io)
  return join(data, 'amazon-q')
}

export function databasePath(io: Io): string {
  return join(dataFolder(io), 'data.sqlite3')
}

export function paths(io: Io): DataPath[] {
  return [
    { path: dataFolder(io), what: 'data.sqlite3: one conversation per folder', env: ['XDG_DATA_HOME'] },
    { path: join(io.home, '.aws', 'amazonq'), what: 'settings and agents', env: [] },
  ]
}
