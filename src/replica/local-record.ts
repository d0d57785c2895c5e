import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { isCount, isText, isTextOrNull } from '../vault/validate.ts'
import { type Head, isHead } from './log/record.ts'
import type { Image } from './log/write-log.ts'

/** What this home knows of a task's replica. Without it, the store is asked. */
export interface LocalRecord {
  readonly address: string
  /** The task's own prefix in the store. */
  readonly folder: string
  /** The last record that was stored from here, or restored here. */
  readonly head: Head
  /** Of the task as it was then: another one means that it was used since. */
  readonly image: string
}

export function readLocalRecord(taskFolder: string, address: string): LocalRecord | undefined {
  const record = readJson(recordFile(taskFolder))
  const { folder, head, image } = record ?? {}
  if (record?.address !== address || !isText(folder) || !isHead(head) || !isText(image)) return undefined
  return { address, folder, head, image }
}

export function writeLocalRecord(taskFolder: string, record: LocalRecord): void {
  replaceFile(recordFile(taskFolder), `${JSON.stringify(record)}\n`)
}

export function imageDigest({ parts }: Image): string {
  const lines = parts.map(({ name, sha256 }) => `${sha256} ${name}`).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** How far the store is behind, for `ion ps` and for whoever waits for it. */
export interface ReplicaStatus {
  readonly address: string
  readonly pid: number
  /** `stored`: everything is. `fenced`: another workspace has taken over. `ended`: nothing works on the task any more. */
  readonly state: 'stored' | 'behind' | 'fenced' | 'ended'
  /** Since when something has not been stored. */
  readonly behind_since: string | null
  readonly last_stored: string | null
  /** Why it is behind or fenced. */
  readonly problem: string | null
  readonly requests: number
  readonly bytes_sent: number
  readonly since: string
}

export function readReplicaStatus(taskFolder: string): ReplicaStatus | undefined {
  const status = readJson(statusFile(taskFolder))
  const { address, pid, state, behind_since, last_stored, problem, requests, bytes_sent, since } = status ?? {}
  const isStatus =
    [address, state, since].every(isText) &&
    [behind_since, last_stored, problem].every(isTextOrNull) &&
    [pid, requests, bytes_sent].every(isCount)
  return isStatus ? (status as unknown as ReplicaStatus) : undefined
}

export function writeReplicaStatus(taskFolder: string, status: ReplicaStatus): void {
  replaceFile(statusFile(taskFolder), `${JSON.stringify(status)}\n`)
}

function recordFile(taskFolder: string): string {
  return join(taskFolder, 'replica.json')
}

function statusFile(taskFolder: string): string {
  return join(taskFolder, 'replica-status.json')
}

function readJson(path: string): Record<string, unknown> | undefined {
  return parsedObject(attempt(() => readFileSync(path, 'utf8')))
}
