import { join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** Native copies of sessions, for putting them back exactly. */
export function vaultFolder(io: Io): string {
  return join(ionHome(io), 'vault')
}

export function objectsFolder(io: Io): string {
  return join(vaultFolder(io), 'objects')
}

export function keptFolder(agent: string, io: Io): string {
  return join(vaultFolder(io), 'sessions', agent)
}

/** What is kept of one session. */
export function manifestFile(agent: string, id: string, io: Io): string {
  if (!isUuid(id)) throw new Error(`"${id}" is not the id of a session`)
  return join(keptFolder(agent, io), `${id.toLowerCase()}.json`)
}
