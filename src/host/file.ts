import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { isAlive, type ProcessIdentity } from '../platform/process.ts'
import type { Size } from './screen.ts'
import { PROTOCOL } from './wire.ts'

/** How to reach the host of a task; a file in the task's folder. */
export interface HostFile extends ProcessIdentity {
  readonly protocol: number
  readonly socket: string
  readonly startedAt: string
  readonly size: Size
}

function fileOf(folder: string): string {
  return join(folder, 'host.json')
}

export function writeHostFile(folder: string, host: Omit<HostFile, 'protocol'>): void {
  replaceFile(fileOf(folder), `${JSON.stringify({ protocol: PROTOCOL, ...host })}\n`)
}

/** The running host of a task; undefined if there is none, or only the file of a dead one. */
export function readHostFile(folder: string): HostFile | undefined {
  const host = parseHostFile(folder)
  return host && isAlive(host) ? host : undefined
}

/** Called by the host itself (with its pid), or when it is found dead. The file of a later host stays. */
export function removeHostFile(folder: string, pid?: number): void {
  const host = parseHostFile(folder)
  if (!host || (pid === undefined ? isAlive(host) : host.pid !== pid)) return
  for (const file of [fileOf(folder), ...(process.platform === 'win32' ? [] : [host.socket])]) {
    try {
      rmSync(file, { force: true })
    } catch {
      // A stale file does no harm: its process is dead.
    }
  }
}

function parseHostFile(folder: string): HostFile | undefined {
  try {
    const value = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as Partial<HostFile>
    return typeof value.pid === 'number' && typeof value.socket === 'string' ? (value as HostFile) : undefined
  } catch {
    return undefined
  }
}
