import type { Agent } from '../agents/agent.ts'
import { Archive } from '../archive/archive.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { localTime } from '../platform/local-time.ts'
import { takeTask } from '../run/lease.ts'
import { SessionLookup } from '../run/session-lookup.ts'
import { readTaskState } from '../run/session-record.ts'
import { DEFAULT_TASK, type Task } from '../run/task.ts'
import { isUntouched } from '../run/task-state.ts'
import { findTask, taskPrefix } from './find-task.ts'
import { TaskImage } from './follow/task-image.ts'
import { readImageAbout } from './image-about.ts'
import { ReplicaLease } from './lease.ts'
import { digestsOf, isOwn, type LocalRecord, readLocalRecord, storedDigests, writeLocalRecord } from './local-record.ts'
import { type LoadedState, listChain, loadNewest, loadState } from './log/read-log.ts'
import { type Head, isSameHead } from './log/record.ts'
import type { LogState } from './log/state.ts'
import { TaskLog } from './log/task-log.ts'
import { Fenced } from './log/write-log.ts'
import { type RestoredTask, restoreTask } from './restore-task.ts'
import type { Sealer } from './seal/sealer.ts'
import { type ObjectStore, StoreError } from './store/object-store.ts'

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
  const { task, store, sealer, io, notice } = request
  const record = readLocalRecord(task.folder, store.address, sealer.storeId)
  const isNew = isUntouched(readTaskState(task.folder))
  const log = record
    ? new TaskLog(store, sealer, record.folder)
    : ((isNew ? await findTask(task, store, sealer, io, notice) : undefined) ??
      new TaskLog(store, sealer, await taskPrefix(task, sealer, io)))
  const lease = await takeStoreLease(request, log)
  try {
    if (!record && readLocalRecord(task.folder, store.address)) {
      notice(`${store.address} is not the store that it was: the task is stored there anew`)
    }
    const loaded = await newestOf(request, { log, lease, record })
    const isHere = !loaded || (!isNew && (isOwn(record, loaded.state) || isUnchangedThere(record, loaded.state)))
    if (!isHere && request.isStarted) throw new Fenced('another workspace has continued this task meanwhile')
    const { epoch, writer } = lease.tenure
    const known = isHere ? record : await takeOver(request, { log, lease, loaded, record })
    // From now on: what this tenure stores is from here, whatever happens to this process.
    writeLocalRecord(task.folder, { ...(known ?? unknown(log)), tenure: { epoch, writer }, released: undefined })
    return { log, lease, loaded }
  } catch (error) {
    // While an agent works here, no other workspace may begin: it is tried again. The first error counts.
    const isTriedAgain = request.isStarted && !(error instanceof Fenced)
    if (!isTriedAgain) await lease.release(undefined).catch(() => {})
    throw error
  }
}

/** What is damaged there is stored again, if this home was the last one to store something. */
async function newestOf(
  { notice, store }: PrepareRequest,
  { log, lease, record }: Omit<Found, 'loaded'>,
): Promise<LoadedState | undefined> {
  try {
    return await loadNewest(log, lease.tenure)
  } catch (error) {
    const { base } = lease.tenure
    const isLast = isSameHead(record?.head, base)
    const isRefused = error instanceof IonError && error.kind === 'refused'
    if (error instanceof StoreError || isRefused || !isLast || record?.isHalf) throw error
    notice(`the newest state in ${store.address} is damaged; it is stored again from here`)
    return undefined
  }
}

/** Another workspace restored it since, and its agent did nothing. */
function isUnchangedThere(record: LocalRecord | undefined, state: LogState): boolean {
  if (!record || record.isHalf || record.work === '') return false
  return storedDigests(state).work === record.work
}

/** Says once why it waits. */
export function takeStoreLease(
  { io, command, steal, writer, notice, wait }: PrepareRequest,
  log: TaskLog,
  base?: Head,
): Promise<ReplicaLease> {
  let isReported = false
  return ReplicaLease.take(log, {
    ...(writer === undefined ? {} : { writer }),
    ...(base ? { base } : {}),
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

interface Found {
  readonly log: TaskLog
  readonly lease: ReplicaLease
  readonly loaded: LoadedState
  readonly record: LocalRecord | undefined
}

/** The store has a state that is not from here, or not completely here. */
async function takeOver(request: PrepareRequest, found: Found): Promise<LocalRecord | undefined> {
  const { log, lease, loaded } = found
  const { head, at } = loaded.state
  const restoring = restoreHere(request, log, loaded, head, () => refuseDiverged(request, found))
  const { session, bytes } = await lease.beatDuring(restoring)
  // Not started here if another workspace has taken over meanwhile.
  await lease.beat(undefined)
  const what = session ? `session ${session.head.id}` : 'the task, which has no session yet,'
  request.notice(`restored ${what} from ${log.store.address} as of ${localTime(at)} (${bytes} bytes)`)
  return readLocalRecord(request.task.folder, log.store.address, log.sealer.storeId)
}

export interface RestoredHere extends RestoredTask {
  /** The session that was replaced, which is in the archive. */
  readonly archived: string | undefined
}

/**
 * Restores a state of a task, and archives the session that it replaces. `head` is the newest record in the store: the next one
 * continues what is here now. `refuse` throws if what is here must not be replaced; one that was interrupted is begun again.
 */
export async function restoreHere(
  request: TaskHere,
  log: TaskLog,
  loaded: LoadedState,
  head: Head,
  refuse: () => void | Promise<void>,
): Promise<RestoredHere> {
  const { agent, task, io } = request
  const held = takeTask(task.folder, 'headless', io.now())
  if (isHolder(held)) throw busyHere()
  try {
    const isNew = isUntouched(readTaskState(task.folder))
    const before = readLocalRecord(task.folder, log.store.address, log.sealer.storeId)
    const isHalf = before?.isHalf === true
    if (!isNew && !isHalf) await refuse()
    // It may be restored from another folder's log, and is stored there from now on.
    const place = { ...(before?.folder === log.folder ? before : unknown(log)), released: undefined }
    const half: LocalRecord = { ...place, head, image: '', work: '', tenure: null, isHalf: true }
    const archived = isNew ? undefined : archiveSession(request, readTaskState(task.folder).session?.native_id)
    if (isHalf) archiveSession(request, readImageAbout(loaded.state.about)?.session?.native_id)
    const replaces = !isNew || isHalf
    const beforeWriting = (): void => writeLocalRecord(task.folder, half)
    try {
      const restored = await restoreTask({ agent, task, io, log, loaded, replace: replaces, beforeWriting })
      writeLocalRecord(task.folder, { ...half, isHalf: false, ...digestsNow(request) })
      return { ...restored, archived }
    } catch (error) {
      // A session that is not of the replica was in the way: the next start must not replace it either.
      if (!replaces) writeLocalRecord(task.folder, before ?? unknown(log))
      throw error
    }
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
async function refuseDiverged(request: PrepareRequest, found: Found): Promise<void> {
  const {
    record,
    loaded: { state },
  } = found
  if (record) {
    const now = digestsNow(request).image
    if (now === record.image || now === (await lastStoredFromHere(found))) return
  }
  const { task, store } = request
  const { agent, name } = task
  const named = name === DEFAULT_TASK ? '' : ` --task ${name}`
  const since = record ? 'since it was last stored from here' : 'without this replica'
  throw new IonError(
    'refused',
    `this task was used here ${since}, and ${store.address} has another state of it from ${localTime(state.at)}`,
    {
      hint:
        `ion replica restore ${agent}${named} --replace takes that one and archives the session here; ` +
        `ion run ${agent} --task ${name}-2 "…" starts another task beside it`,
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
  return storedDigests(loaded!.state).image
}

function unknown({ store, sealer, folder }: TaskLog): LocalRecord {
  const place = { address: store.address, store: sealer.storeId, folder }
  return { ...place, head: null, image: '', work: '', tenure: null, isHalf: false }
}

function digestsNow({ agent, task, io }: TaskHere): Pick<LocalRecord, 'image' | 'work'> {
  const image = new TaskImage({ agent, task, io }, undefined)
  try {
    return digestsOf(image.look().parts)
  } finally {
    image.close()
  }
}

/** Nothing that is here is lost when that of the store takes its place. Returns the id of the session, if there is one. */
function archiveSession({ agent, task, io }: TaskHere, id: string | undefined): string | undefined {
  const found = id === undefined ? undefined : new SessionLookup(agent, io, task.folder).find(id)
  if (!found) return undefined
  const archive = new Archive(io)
  try {
    archive.capture(agent, found.head)
    return found.head.id
  } finally {
    archive.close()
  }
}
