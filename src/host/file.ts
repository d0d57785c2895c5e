import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { isAlive, type ProcessIdentity } from '../platform/process.ts'
import type { Size } from './screen.ts'
import { PROTOCOL } from './wire.ts'

/** How the host of a task is reached, as it stands in the task's folder. */
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

/** The living host of a task; undefined when there is none, or only what one left behind. */
export function readHostFile(folder: string): HostFile | undefined {
  const host = parsed(folder)
  return host && isAlive(host) ? host : undefined
}

/** By the host itself, and by whoever finds that it is dead. A later host's file stays. */
export function removeHostFile(folder: string, pid?: number): void {
  const host = parsed(folder)
  if (!host || (pid === undefined ? isAlive(host) : host.pid !== pid)) return
  for (const file of [fileOf(folder), ...(process.platform === 'win32' ? [] : [host.socket])]) {
    try {
      rmSync(file, { force: true })
    } catch {
      // It tells nobody anything: its process is dead.
    }
  }
}

function parsed(folder: string): HostFile | undefined {
  try {
    const value = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as Partial<HostFile>
    return typeof value.pid === 'number' && typeof value.socket === 'string' ? (value as HostFile) : undefined
  } catch {
    return undefined
  }
}
