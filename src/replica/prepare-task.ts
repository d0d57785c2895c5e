import type { Agent } from '../agents/agent.ts'
import { Archive } from '../archive/archive.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { localTime } from '../platform/local-time.ts'
import { takeTask } from '../run/lease.ts'
import { SessionLookup } from '../run/session-lookup.ts'
import { readTaskState } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { isUntouched } from '../run/task-state.ts'
import { findTask, taskPrefix } from './find-task.ts'
import { TaskImage } from './follow/task-image.ts'
import { ReplicaLease } from './lease.ts'
import { imageDigest, isOwn, type LocalRecord, readLocalRecord, writeLocalRecord } from './local-record.ts'
import { type LoadedState, listChain, loadNewest, loadState } from './log/read-log.ts'
import { TaskLog } from './log/task-log.ts'
import { Fenced } from './log/write-log.ts'
import { restoreTask } from './restore-task.ts'
import type { Sealer } from './seal/sealer.ts'
import type { ObjectStore } from './store/object-store.ts'

export interface PrepareRequest {
  readonly agent: Agent
  readonly task: Task
  readonly store: ObjectStore
  readonly sealer: Sealer
  readonly io: Io
  /** For hints. */
  readonly command: string
  readonly steal: boolean
  /** Of this tenure, however often it is tried. */
  readonly writer?: string
  /** An agent works on the task already: it cannot be restored any more. */
  readonly isStarted?: boolean
  readonly notice: (line: string) => void
  readonly wait: (ms: number) => Promise<void>
}

export interface PreparedTask {
  readonly log: TaskLog
  readonly lease: ReplicaLease
  /** What is in the store. */
  readonly loaded: LoadedState | undefined
}

/** Whether the task may be started before the store was asked: it is here, and was kept there from here. */
export function isKnownHere(task: Task, address: string): boolean {
  const record = readLocalRecord(task.folder, address)
  return record?.tenure != null && !record.isHalf && !isUntouched(readTaskState(task.folder))
}

/**
 * Makes this workspace the one that works on the task: takes its lease in the store, and restores the task from there if it
 * is not here, or another workspace has continued it since.
 */
export async function prepareTask(request: PrepareRequest): Promise<PreparedTask> {
  const { task, store, sealer, io, command, steal, notice } = request
  const record = readLocalRecord(task.folder, store.address)
  const isNew = isUntouched(readTaskState(task.folder))
  const log = record
    ? new TaskLog(store, sealer, record.folder)
    : ((isNew ? await findTask(task, store, sealer, io) : undefined) ??
      new TaskLog(store, sealer, await taskPrefix(task, sealer, io)))
  let last = ''
  const lease = await ReplicaLease.take(log, {
    ...(request.writer === undefined ? {} : { writer: request.writer }),
    steal,
    takeOver: `${command} --steal`,
    now: io.now,
    wait: async (ms, why) => {
      if (last === '') notice(why)
      last = why
      await request.wait(ms)
    },
  })
  try {
    const loaded = await loadNewest(log, lease.tenure)
    const isHere = !loaded || (!isNew && isOwn(record, loaded.state))
    if (!isHere && request.isStarted) throw new Fenced('another workspace has continued this task meanwhile')
    const { epoch, writer } = lease.tenure
    const known = isHere ? record : await takeOver(request, { log, lease, loaded, record })
    // From now on: what this tenure stores is from here, whatever happens to this process.
    writeLocalRecord(task.folder, { ...(known ?? unknown(log)), tenure: { epoch, writer } })
    return { log, lease, loaded }
  } catch (error) {
    await lease.release(undefined)
    throw error
  }
}

interface Found {
  readonly log: TaskLog
  readonly lease: ReplicaLease
  readonly loaded: LoadedState
  readonly record: LocalRecord | undefined
}

/** The store has a state that is not from here, or not completely here. */
async function takeOver(request: PrepareRequest, found: Found): Promise<LocalRecord> {
  const { log, loaded, record } = found
  const { agent, task, io, notice } = request
  const held = takeTask(task.folder, 'headless', io.now())
  if (isHolder(held)) throw new IonError('refused', 'another Ion is working on this task here', { hint: 'ion ps' })
  try {
    const isNew = isUntouched(readTaskState(task.folder))
    const isHalf = record?.isHalf === true
    if (!isNew && !isHalf) await refuseDiverged(request, found)
    if (!isNew) archiveSession(request)
    const { head, at } = loaded.state
    const half: LocalRecord = { ...unknown(log), head, isHalf: true }
    writeLocalRecord(task.folder, half)
    const { session, bytes } = await restoreTask({ agent, task, io, log, loaded, replace: !isNew || isHalf })
    const complete: LocalRecord = { ...half, isHalf: false, image: digestNow(request) }
    writeLocalRecord(task.folder, complete)
    const what = session ? `session ${session.head.id}` : 'the task, which has no session yet'
    notice(`restored ${what} from ${log.store.address} as of ${localTime(at)} (${bytes} bytes)`)
    return complete
  } finally {
    held.release()
  }
}

/** Both were continued: only the user knows which one counts. */
async function refuseDiverged(request: PrepareRequest, found: Found): Promise<void> {
  const {
    record,
    loaded: { state },
  } = found
  if (record) {
    const now = digestNow(request)
    if (now === record.image || now === (await lastStoredFromHere(found))) return
  }
  const { task, store, command } = request
  const since = record ? 'since it was last stored from here' : 'without this replica'
  throw new IonError(
    'refused',
    `this task was used here ${since}, and ${store.address} has another state of it from ${localTime(state.at)}`,
    {
      hint:
        `ion replica restore --replace takes that one and archives the session here; ` +
        `${command} --task ${task.name}-2 "…" starts another task beside it`,
    },
  )
}

/** The digest of the last image that was stored from here. This process's predecessor may have had no time to note it. */
async function lastStoredFromHere({ log, lease, record }: Found): Promise<string | undefined> {
  const { epoch: last, writer } = record?.tenure ?? {}
  if (last === undefined) return undefined
  const chain = (await listChain(log, lease.tenure)).filter(({ epoch }) => epoch <= last)
  const loaded = await loadState(log, chain)
  if (loaded?.state.writer !== writer) return undefined
  return imageDigest(Array.from(loaded!.state.parts, ([name, { sha256 }]) => ({ name, sha256 })))
}

function unknown({ store, folder }: TaskLog): LocalRecord {
  return { address: store.address, folder, head: null, image: '', tenure: null, isHalf: false }
}

function digestNow({ agent, task, io }: PrepareRequest): string {
  const image = new TaskImage({ agent, task, io }, undefined)
  try {
    return imageDigest(image.look().parts)
  } finally {
    image.close()
  }
}

/** Nothing that is here is lost when that of the store takes its place. */
function archiveSession({ agent, task, io }: PrepareRequest): void {
  const { session } = readTaskState(task.folder)
  const found = session && new SessionLookup(agent, io, task.folder).find(session.native_id, session.files)
  if (!found) return
  const archive = new Archive(io)
  try {
    archive.capture(agent, found.head)
  } finally {
    archive.close()
  }
}
