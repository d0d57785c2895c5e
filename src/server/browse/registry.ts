import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder, replaceFile } from '../../platform/atomic-file.ts'
import { ionHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../../platform/process.ts'

/** The server of `ion web`, for other processes of the user to find. There is one. */
export interface WebEntry extends ProcessIdentity {
  readonly host: string
  readonly port: number
  /** Without a trailing slash and token. */
  readonly url: string
  readonly read_only: boolean
  readonly started_at: string
}

function webFolder(io: Io): string {
  return join(ionHome(io), 'web')
}

/** The folder of its lease, its secret and its entry, which is created. */
export function webHome(io: Io): string {
  return privateFolder(webFolder(io))
}

export function secretFile(io: Io): string {
  return join(webHome(io), 'token')
}

/** What its process in the background reports. */
export function webLog(io: Io): string {
  return join(webHome(io), 'web.log')
}

function entryFile(io: Io): string {
  return join(webFolder(io), 'server.json')
}

export function registerWeb(entry: Omit<WebEntry, keyof ProcessIdentity>, io: Io): void {
  webHome(io)
  replaceFile(entryFile(io), `${JSON.stringify({ ...identityOf(process.pid), ...entry })}\n`)
}

/** Called by the server itself; the entry of a later one stays. */
export function unregisterWeb(io: Io): void {
  if (readEntry(io)?.pid === process.pid) rmSync(entryFile(io), { force: true })
}

/** Undefined if none is running. Writes nothing. */
export function runningWeb(io: Io): WebEntry | undefined {
  const entry = readEntry(io)
  return entry && isAlive(entry) ? entry : undefined
}

function readEntry(io: Io): WebEntry | undefined {
  try {
    const value = JSON.parse(readFileSync(entryFile(io), 'utf8')) as Partial<WebEntry>
    return typeof value.pid === 'number' && typeof value.url === 'string' ? (value as WebEntry) : undefined
  } catch {
    return undefined
  }
}
