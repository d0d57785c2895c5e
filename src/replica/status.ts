import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { leaseHolder } from '../platform/lease.ts'
import { ledgerFile } from '../run/ledger.ts'
import { isCount, isText, isTextOrNull } from '../vault/validate.ts'

/** How far the store is behind, for `ion ps` and for whoever waits for it. */
export interface ReplicaStatus {
  readonly address: string
  readonly pid: number
  /** `stored`: everything is. `fenced`: another workspace has taken over. `ended`: nothing works on the task any more. */
  readonly state: 'stored' | 'behind' | 'fenced' | 'ended'
  /** Since when something has not been stored. */
  readonly behind_since: string | null
  readonly last_stored: string | null
  /** The length of the ledger that was stored last: it only grows. */
  readonly ledger_bytes: number | null
  /** Why it is behind or fenced. */
  readonly problem: string | null
  readonly requests: number
  readonly bytes_sent: number
  readonly since: string
}

export function readReplicaStatus(taskFolder: string): ReplicaStatus | undefined {
  const status = parsedObject(attempt(() => readFileSync(statusFile(taskFolder), 'utf8')))
  const { address, pid, state, behind_since, last_stored, ledger_bytes, problem, requests, bytes_sent, since } =
    status ?? {}
  const isStatus =
    [address, state, since].every(isText) &&
    [behind_since, last_stored, problem].every(isTextOrNull) &&
    [pid, requests, bytes_sent].every(isCount) &&
    (ledger_bytes === null || isCount(ledger_bytes))
  return isStatus ? (status as unknown as ReplicaStatus) : undefined
}

/** As it is now. */
export interface CurrentStatus extends ReplicaStatus {
  /** The task was used after it was last stored. */
  readonly is_used_since: boolean
  /** The process that stores the task lives. */
  readonly is_running: boolean
}

/** Undefined for a task without a replica. */
export function currentReplica(taskFolder: string): CurrentStatus | undefined {
  const status = readReplicaStatus(taskFolder)
  if (!status) return undefined
  const is_running = leaseHolder(replicaLease(taskFolder)) !== undefined
  const ledgerBytes = statSync(ledgerFile(taskFolder), { throwIfNoEntry: false })?.size ?? 0
  return {
    ...status,
    is_running,
    is_used_since: !is_running && ledgerBytes > (status.ledger_bytes ?? 0),
  }
}

/** What users are told. */
export interface ReplicaSummary {
  /** `behind`: it is stored as soon as the store answers. `not stored`: it takes a start, or the user. */
  readonly state: 'stored' | 'behind' | 'not stored'
  readonly behind_since: string | null
  /** Why it is not stored. */
  readonly reason: string | null
}

export function summaryOf({ state, is_running, is_used_since, behind_since, problem }: CurrentStatus): ReplicaSummary {
  const notStored = (reason: string): ReplicaSummary => ({ state: 'not stored', behind_since: null, reason })
  if (state === 'ended' && is_used_since) return notStored('used since without its replica: not stored')
  if (state === 'fenced') return notStored(`not stored any more: ${problem ?? 'another workspace has taken over'}`)
  if (state !== 'ended' && !is_running) return notStored('last state not stored; the next start stores it')
  if (state === 'behind') return { state, behind_since, reason: problem }
  return { state: 'stored', behind_since: null, reason: null }
}

export function writeReplicaStatus(taskFolder: string, status: ReplicaStatus): void {
  replaceFile(statusFile(taskFolder), `${JSON.stringify(status)}\n`)
}

/** The folder of the lease of the process that replicates the task: one per task. */
export function replicaLease(taskFolder: string): string {
  return join(taskFolder, 'replica')
}

function statusFile(taskFolder: string): string {
  return join(taskFolder, 'replica-status.json')
}
