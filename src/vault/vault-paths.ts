import { join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** Exact copies of sessions, to restore them from. */
export function vaultFolder(io: Io): string {
  return join(ionHome(io), 'vault')
}

export function objectsFolder(io: Io): string {
  return join(vaultFolder(io), 'objects')
}

export function manifestsFolder(agent: string, io: Io): string {
  return join(vaultFolder(io), 'sessions', agent)
}

/** The manifest of a session's exact copies. */
export function manifestFile(agent: string, id: string, io: Io): string {
  if (!isUuid(id)) throw new Error(`"${id}" is not the id of a session`)
  return join(manifestsFolder(agent, io), `${id.toLowerCase()}.json`)
}
