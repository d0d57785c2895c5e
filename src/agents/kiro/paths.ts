import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import { conversationsFolder } from '../_shared/conversation-rows.ts'
import type { DataPath } from '../agent.ts'

/** Engines v2 and v3. */
export function sessionsFolder(io: Io): string {
  return join(kiroHome(io), 'sessions')
}

/** Engine v1. */
export function dataFolder(io: Io): string {
  return conversationsFolder(io, 'kiro-cli')
}

export function databasePath(io: Io): string {
  return join(dataFolder(io), 'data.sqlite3')
}

export function paths(io: Io): DataPath[] {
  return [
    { path: kiroHome(io), what: 'sessions of engines v2 and v3, settings', env: ['KIRO_HOME'] },
    { path: dataFolder(io), what: 'data.sqlite3: conversations of engine v1', env: ['XDG_DATA_HOME'] },
  ]
}

function kiroHome(io: Io): string {
  return io.env.KIRO_HOME || join(io.home, '.kiro')
}
