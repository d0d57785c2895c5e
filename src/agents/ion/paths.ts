import { join } from 'node:path'
import { ionHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

export function sessionsFolder(io: Io): string {
  return join(ionHome(io), 'sessions')
}

export function paths(io: Io): DataPath[] {
  return [{ path: sessionsFolder(io), what: 'archived sessions', env: ['ION_HOME', 'CODER_MODULE_DATA_DIR'] }]
}
