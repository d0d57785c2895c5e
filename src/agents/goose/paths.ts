import { join } from 'node:path'
import { dataHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `GOOSE_PATH_ROOT` moves everything, else `XDG_DATA_HOME` the data. */
export function sessionsFolder(io: Io): string {
  const data = io.env.GOOSE_PATH_ROOT ? join(io.env.GOOSE_PATH_ROOT, 'data') : join(dataHome(io), 'goose')
  return join(data, 'sessions')
}

export function databasePath(io: Io): string {
  return join(sessionsFolder(io), 'sessions.db')
}

export function paths(io: Io): DataPath[] {
  return [{ path: sessionsFolder(io), what: 'sessions.db with its -wal', env: ['GOOSE_PATH_ROOT', 'XDG_DATA_HOME'] }]
}
