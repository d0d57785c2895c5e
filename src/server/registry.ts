import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { hash53 } from '../platform/hash.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../platform/process-identity.ts'

/** A server that is running, as others on this machine find it. */
export interface ServerEntry extends ProcessIdentity {
  readonly agent: string
  readonly task: string
  readonly project: string
  /** The task's folder, by which it is known. */
  readonly folder: string
  readonly host: string
  readonly port: number
  /** Of the chat page, without the token. */
  readonly url: string
  readonly started_at: string
}

function serversFolder(io: Io): string {
  return join(ionHome(io), 'servers')
}

function fileOf(folder: string, io: Io): string {
  return join(serversFolder(io), `${hash53(folder).toString(36)}.json`)
}

export function registerServer(entry: Omit<ServerEntry, keyof ProcessIdentity>, io: Io): void {
  replaceFile(fileOf(entry.folder, io), `${JSON.stringify({ ...identityOf(process.pid), ...entry })}\n`)
}

/** By the server itself; that of a later one stays. */
export function unregisterServer(folder: string, io: Io): void {
  const file = fileOf(folder, io)
  if (parsed(file)?.pid === process.pid) rmSync(file, { force: true })
}

/** The living server of a task. */
export function serverOf(folder: string, io: Io): ServerEntry | undefined {
  const entry = parsed(fileOf(folder, io))
  return entry && entry.folder === folder && isAlive(entry) ? entry : undefined
}

/** All living servers. What a killed one left behind is passed by. */
export function knownServers(io: Io): ServerEntry[] {
  const folder = serversFolder(io)
  return listNames(folder).flatMap((name) => {
    const entry = name.endsWith('.json') ? parsed(join(folder, name)) : undefined
    return entry && isAlive(entry) ? [entry] : []
  })
}

function parsed(file: string): ServerEntry | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerEntry>
    const isEntry = typeof value.pid === 'number' && typeof value.folder === 'string' && typeof value.url === 'string'
    return isEntry ? (value as ServerEntry) : undefined
  } catch {
    return undefined
  }
}
