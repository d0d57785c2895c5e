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
import { imageDigest, type LocalRecord, readLocalRecord, writeLocalRecord } from './local-record.ts'
import { type LoadedState, loadNewest } from './log/read-log.ts'
import type { Head } from './log/record.ts'
import { TaskLog } from './log/task-log.ts'
import { type RestoredTask, restoreTask } from './restore-task.ts'
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
  readonly notice: (line: string) => void
  readonly wait: (ms: number) => Promise<void>
}

export interface PreparedTask {
  readonly log: TaskLog
  readonly lease: ReplicaLease
  /** What is in the store. */
  readonly loaded: LoadedState | undefined
}

/**
 * Makes this workspace the one that works on the task: takes its lease in the store, and restores the task from there if it
 * is not here, or another workspace has continued it since.
 */
export async function prepareTask(request: PrepareRequest): Promise<PreparedTask> {
  const { task, store, sealer, io } = request
  const record = readLocalRecord(task.folder, store.address)
  const isNew = isUntouched(readTaskState(task.folder))
  const log = record
    ? new TaskLog(store, sealer, record.folder)
    : ((isNew ? await findTask(task, store, sealer, io) : undefined) ??
      new TaskLog(store, sealer, await taskPrefix(task, sealer, io)))
  const lease = await takeStoreLease(request, log)
  try {
    const loaded = await loadNewest(log, lease.tenure)
    if (loaded && !isSame(record?.head, loaded.state.head)) await takeOver(request, log, loaded, record)
    return { log, lease, loaded }
  } catch (error) {
    await lease.release(undefined)
    throw error
  }
}

/** Says once why it waits. */
export function takeStoreLease(
  { io, command, steal, notice, wait }: PrepareRequest,
  log: TaskLog,
): Promise<ReplicaLease> {
  let isReported = false
  return ReplicaLease.take(log, {
    steal,
    takeOver: `${command} --steal`,
    now: io.now,
    wait: async (ms, why) => {
      if (!isReported) notice(why)
      isReported = true
      await wait(ms)
    },
  })
}

type TaskHere = Pick<PrepareRequest, 'agent' | 'task' | 'io'>

/** The store has a state that is not from here. */
async function takeOver(
  request: PrepareRequest,
  log: TaskLog,
  loaded: LoadedState,
  record: LocalRecord | undefined,
): Promise<void> {
  const { head, at } = loaded.state
  const refuse = (): void => refuseDiverged(request, loaded, record)
  const { session, bytes } = await restoreHere(request, log, loaded, head, refuse)
  const what = session ? `session ${session.head.id}` : 'the task, which has no session yet'
  request.notice(`restored ${what} from ${log.store.address} as of ${localTime(at)} (${bytes} bytes)`)
}

/**
 * Restores a state of a task, and archives the session that it replaces. `head` is the newest record in the store: the next one
 * continues what is here now. `refuse` throws if what is here must not be replaced.
 */
export async function restoreHere(
  request: TaskHere,
  log: TaskLog,
  loaded: LoadedState,
  head: Head,
  refuse: () => void,
): Promise<RestoredTask> {
  const { agent, task, io } = request
  const held = takeTask(task.folder, 'headless', io.now())
  if (isHolder(held)) throw busyHere()
  try {
    const isNew = isUntouched(readTaskState(task.folder))
    if (!isNew) {
      refuse()
      archiveSession(request)
    }
    const restored = await restoreTask({ agent, task, io, log, loaded, replace: !isNew })
    writeLocalRecord(task.folder, { address: log.store.address, folder: log.folder, head, image: digestNow(request) })
    return restored
  } finally {
    held.release()
  }
}

export function busyHere(): IonError {
  return new IonError('refused', 'another Ion is working on this task here', {
    hint: 'ion ps shows it; ion stop ends it',
  })
}

/** Both were continued: only the user knows which one counts. */
function refuseDiverged(request: PrepareRequest, { state }: LoadedState, record: LocalRecord | undefined): void {
  if (record && digestNow(request) === record.image) return
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

function digestNow({ agent, task, io }: TaskHere): string {
  const image = new TaskImage({ agent, task, io }, undefined)
  try {
    return imageDigest(image.look())
  } finally {
    image.close()
  }
}

/** Nothing that is here is lost when that of the store takes its place. */
function archiveSession({ agent, task, io }: TaskHere): void {
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

function isSame(a: Head | undefined, b: Head): boolean {
  return a !== undefined && a.epoch === b.epoch && a.number === b.number && a.digest === b.digest
}
