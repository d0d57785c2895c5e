import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import { conversationsFolder } from '../_shared/conversation-rows.ts'
import type { DataPath } from '../agent.ts'

export function dataFolder(io: Io): string {
  return conversationsFolder(io, 'amazon-q')
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
