import type { Agent } from '../agents/agent.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, leaseHolder, takeLease } from '../platform/lease.ts'
import { isAlive, type ProcessIdentity } from '../platform/process.ts'
import { serverLease } from '../run/lease.ts'
import { runningAgents } from '../run/run-processes.ts'
import { readTaskState } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { followTask, type Progress } from './follow/follow-task.ts'
import { TaskImage } from './follow/task-image.ts'
import { imageDigest, readLocalRecord, writeLocalRecord } from './local-record.ts'
import { pruneLog } from './log/prune-log.ts'
import { type Image, LogWriter } from './log/write-log.ts'
import { openReplicaAt, type ReplicaSettings } from './open.ts'
import { prepareTask } from './prepare-task.ts'
import { type ReplicaStatus, replicaLease, writeReplicaStatus } from './status.ts'
import { type ObjectStore, StoreError } from './store/object-store.ts'

/** What is replicated, and for whom. Plain data, so that it can be sent to another process. */
export interface ReplicateRequest {
  readonly task: Task
  readonly settings: ReplicaSettings
  /** For hints. */
  readonly command: string
  readonly steal: boolean
  /** As long as it lives, the task is about to be started. */
  readonly starter: ProcessIdentity
}

export interface Replicating {
  readonly notice: (line: string) => void
  /** The task is here as it is in the store; it may be started. */
  readonly ready: () => void
  /** Aborted when it is to end as soon as nothing works on the task. */
  readonly ending: AbortSignal
}

/** How long the last state may take to be stored. */
const GRACE_MS = 10_000

/** Old states are removed once per start, and not more often than this. */
const PRUNE_MS = 24 * 3600_000

/** Keeps a task in a store, from before it is started until nothing works on it any more. One process per task does. */
export async function replicate(
  { task, settings, command, steal, starter }: ReplicateRequest,
  agent: Agent,
  io: Io,
  { notice, ready, ending }: Replicating,
): Promise<void> {
  const own = takeLease(replicaLease(task.folder), { address: settings.address })
  if (isHolder(own)) return ready()
  try {
    const { store, sealer } = await openReplicaAt(settings, io)
    let pruned = readLocalRecord(task.folder, store.address)?.pruned
    const prepared = await prepareTask({ agent, task, store, sealer, io, command, steal, notice, wait: sleep })
    const { log, lease, loaded } = prepared
    ready()
    const image = new TaskImage({ agent, task, io }, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    const status = new StatusFile(task.folder, settings.address, store, io)
    const activity = new Activity(task, starter, ending)
    let last: Image | undefined
    let isPruning = io.now().getTime() - Date.parse(pruned ?? '') < PRUNE_MS
    const prune = async (): Promise<void> => {
      isPruning = true
      await pruneLog(log, lease.tenure, settings, io.now())
      pruned = io.now().toISOString()
    }
    const onProgress = (progress: Progress): void => {
      last = progress.stored ?? last
      status.note(progress)
      // Whatever goes wrong, the next start tries again.
      if (last && !isPruning) prune().catch(() => {})
    }
    const { isActive, wait } = activity
    const followed = followTask({ image, writer, lease, io, isActive, wait, onProgress })
    const how = await activity.within(GRACE_MS, followed)
    image.close()
    const head = writer.state?.head
    if (last && head && how !== 'fenced') {
      writeLocalRecord(task.folder, {
        address: store.address,
        folder: log.folder,
        head,
        image: imageDigest(last),
        pruned,
      })
    }
    if (how === 'ended') status.ended()
  } catch (error) {
    throw error instanceof StoreError ? error.toIonError() : error
  } finally {
    own.release()
  }
}

/** Whether something works on the task, and waiting that ends when that may have changed. */
class Activity {
  readonly #task: Task
  readonly #starter: ProcessIdentity
  readonly #ending: AbortSignal
  #endedAt: number | undefined

  constructor(task: Task, starter: ProcessIdentity, ending: AbortSignal) {
    this.#task = task
    this.#starter = starter
    this.#ending = ending
  }

  readonly isActive = (): boolean => {
    const { folder } = this.#task
    const isStarting = !this.#ending.aborted && isAlive(this.#starter)
    const isActive =
      isStarting ||
      leaseHolder(folder) !== undefined ||
      leaseHolder(serverLease(folder)) !== undefined ||
      runningAgents(readTaskState(folder)).length > 0
    this.#endedAt = isActive ? undefined : (this.#endedAt ?? performance.now())
    return isActive
  }

  readonly wait = async (ms: number): Promise<void> => {
    const until = performance.now() + ms
    while (performance.now() < until) {
      await sleep(Math.min(STEP_MS, until - performance.now()))
      // The last state is stored without delay.
      if (this.#endedAt === undefined && !this.isActive()) return
    }
  }

  /** Resolves when the task ended that long ago, whatever is still to be stored; or with what `work` gives before. */
  async within<T>(graceMs: number, work: Promise<T>): Promise<T | 'overdue'> {
    let timer: NodeJS.Timeout | undefined
    const overdue = new Promise<'overdue'>((resolve) => {
      timer = setInterval(() => {
        if (this.#endedAt !== undefined && performance.now() - this.#endedAt > graceMs) resolve('overdue')
      }, STEP_MS)
    })
    return Promise.race([work, overdue]).finally(() => clearInterval(timer))
  }
}

const STEP_MS = 100

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A status that has not changed is written again only this often, for its counts. */
const STATUS_MS = 5000

class StatusFile {
  readonly #folder: string
  readonly #store: ObjectStore
  readonly #io: Io
  #status: ReplicaStatus
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(folder: string, address: string, store: ObjectStore, io: Io) {
    this.#folder = folder
    this.#store = store
    this.#io = io
    const since = io.now().toISOString()
    const times = { behind_since: since, last_stored: null, since }
    this.#status = { address, pid: process.pid, state: 'behind', problem: null, requests: 0, bytes_sent: 0, ...times }
  }

  note({ state, problem }: Progress): void {
    const now = this.#io.now().toISOString()
    const isStored = state === 'stored'
    this.#write({
      ...this.#status,
      state,
      problem: problem ?? null,
      behind_since: isStored ? null : (this.#status.behind_since ?? now),
      last_stored: isStored ? now : this.#status.last_stored,
    })
  }

  ended(): void {
    this.#write({ ...this.#status, state: 'ended' })
  }

  /** Only for information: a failure to write it does not matter. */
  #write(status: ReplicaStatus): void {
    const isNews = status.state !== this.#status.state || status.problem !== this.#status.problem
    this.#status = { ...status, requests: this.#store.usage.requests, bytes_sent: this.#store.usage.bytesSent }
    if (!isNews && performance.now() - this.#writtenAt < STATUS_MS) return
    this.#writtenAt = performance.now()
    attempt(() => writeReplicaStatus(this.#folder, this.#status))
  }
}
