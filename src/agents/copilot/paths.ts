import { join } from 'node:path'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/**
 * Where sessions may be, the folder in use first. `COPILOT_HOME` is the data folder itself. Without it, versions before 1.0
 * used `.copilot` below the XDG folders; a newer one moves that to `~/.copilot` when it starts, so until then it is still
 * in use.
 */
export function paths(io: Io): DataPath[] {
  const { COPILOT_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME } = io.env
  const what = 'sessions, settings, logs'
  if (COPILOT_HOME) return [{ path: COPILOT_HOME, what, env: ['COPILOT_HOME'] }]
  const found: DataPath[] = [{ path: join(io.home, '.copilot'), what, env: ['COPILOT_HOME'] }]
  const old = { XDG_STATE_HOME, XDG_CONFIG_HOME }
  for (const [name, folder] of Object.entries(old)) {
    if (!folder) continue
    const path = join(folder, '.copilot')
    if (found.every((root) => root.path !== path)) found.push({ path, what: 'data from before 1.0', env: [name] })
  }
  return found
}

export function sessionFolders(io: Io): string[] {
  return paths(io).map((root) => join(root.path, 'session-state'))
}
