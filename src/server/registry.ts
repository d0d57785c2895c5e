import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { hash53 } from '../platform/hash.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { identityOf, isAlive, type ProcessIdentity, signalProcess, waitForExit } from '../platform/process.ts'

/** A running server, for other processes on this machine to find. */
export interface ServerEntry extends ProcessIdentity {
  readonly agent: string
  readonly task: string
  readonly project: string
  /** The task's folder: the key of the entry. */
  readonly folder: string
  readonly host: string
  readonly port: number
  /** URL of the chat page, without the token. */
  readonly url: string
  /** Null if it requires none; undefined in an entry of an older version. */
  readonly token_file?: string | null
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

/** Called by the server itself; the entry of a later server stays. */
export function unregisterServer(folder: string, io: Io): void {
  const file = fileOf(folder, io)
  if (readEntry(file)?.pid === process.pid) rmSync(file, { force: true })
}

/** The running server of a task. */
export function serverOf(folder: string, io: Io): ServerEntry | undefined {
  const entry = readEntry(fileOf(folder, io))
  return entry && entry.folder === folder && isAlive(entry) ? entry : undefined
}

/** All running servers. Entries of killed ones are ignored. */
export function knownServers(io: Io): ServerEntry[] {
  const folder = serversFolder(io)
  return listNames(folder).flatMap((name) => {
    const entry = name.endsWith('.json') ? readEntry(join(folder, name)) : undefined
    return entry && isAlive(entry) ? [entry] : []
  })
}

function readEntry(file: string): ServerEntry | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerEntry>
    const isEntry = typeof value.pid === 'number' && typeof value.folder === 'string' && typeof value.url === 'string'
    return isEntry ? (value as ServerEntry) : undefined
  } catch {
    return undefined
  }
}

/** A server that owns its agent stops that first, which may take this long. */
const GRACE_MS = 5000
const KILL_MS = 2000

/** Stops a server: SIGTERM, then SIGKILL. If it has started its agent, stop that first. */
export async function stopServer(server: ServerEntry): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGTERM', GRACE_MS],
    ['SIGKILL', KILL_MS],
  ] as const) {
    signalProcess(server, signal)
    if (await waitForExit([server], withinMs)) return
  }
}
