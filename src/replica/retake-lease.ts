import type { Io } from '../platform/io.ts'
import type { Task } from '../run/task.ts'
import { ReplicaLease } from './lease.ts'
import { readLocalRecord, writeLocalRecord } from './local-record.ts'
import { TaskLog } from './log/task-log.ts'
import { openByConfig, type ReplicaSettings } from './open.ts'
import { isKnownHere } from './prepare-task.ts'
import type { ObjectStore } from './store/object-store.ts'

export interface RetakeRequest {
  readonly task: Task
  readonly store: ObjectStore
  readonly settings: Omit<ReplicaSettings, 'days'>
  readonly io: Io
  /** A random id of this tenure. */
  readonly writer: string
}

/**
 * Takes the lease of a task that was last stored from here, in one request: it is put on the condition that it is the one that
 * was released here. If that succeeds, the task may be started: this workspace is the only one that works on it, and what is
 * in the store is what was stored from here. Everything else, such as whether that is intact, is found out by `prepareTask`
 * with the same `writer`, while the agent works already.
 */
export async function retakeLease({ task, store, settings, io, writer }: RetakeRequest): Promise<boolean> {
  const record = readLocalRecord(task.folder, store.address)
  if (!record?.released || !record.tenure || !isKnownHere(task, store.address)) return false
  const { released, ...rest } = record
  const sealer = await openByConfig(store, released.config, settings, io)
  if (sealer?.storeId !== record.store) return false
  const log = new TaskLog(store, sealer, record.folder)
  const last = { tag: released.tag, epoch: record.tenure.epoch, head: record.head }
  const lease = await ReplicaLease.retake(log, last, { writer, now: io.now })
  if (!lease) return false
  writeLocalRecord(task.folder, { ...rest, tenure: { epoch: lease.tenure.epoch, writer } })
  return true
}
