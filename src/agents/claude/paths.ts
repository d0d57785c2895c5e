import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** `CLAUDE_CONFIG_DIR` moves everything; no XDG variable does. */
export function claudeRoot(io: Io): string {
  return io.env.CLAUDE_CONFIG_DIR || join(io.home, '.claude')
}

export function projectsFolder(io: Io): string {
  return join(claudeRoot(io), 'projects')
}

export function paths(io: Io): DataPath[] {
  return [{ path: claudeRoot(io), what: 'sessions, settings, history', env: ['CLAUDE_CONFIG_DIR'] }]
}
