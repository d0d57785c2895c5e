import { join } from 'node:path'
import { configHome, dataHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

export function dataFolder(io: Io): string {
  return join(dataHome(io), 'amp')
}

export function paths(io: Io): DataPath[] {
  return [
    { path: dataFolder(io), what: 'ids of the last threads; complete threads of early 2026', env: ['XDG_DATA_HOME'] },
    { path: join(configHome(io), 'amp'), what: 'settings', env: ['XDG_CONFIG_HOME'] },
  ]
}
