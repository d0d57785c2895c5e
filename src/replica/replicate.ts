import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from '../agents/agent.ts'
import { attempt, IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, leaseHolder, takeLease } from '../platform/lease.ts'
import { isAlive, type ProcessIdentity } from '../platform/process.ts'
import { serverLease } from '../run/lease.ts'
import { runningAgents } from '../run/run-processes.ts'
import { readTaskState } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { followTask, type Progress } from './follow/follow-task.ts'
import { TaskImage } from './follow/task-image.ts'
import { LEDGER_PART } from './image-about.ts'
import { requireSameTenure } from './lease.ts'
import { readLocalRecord, recordEnd } from './local-record.ts'
import { pruneLog } from './log/prune-log.ts'
import { Fenced, type Image, LogWriter } from './log/write-log.ts'
import { openConfig, type ReplicaSettings } from './open.ts'
import { isKnownHere, type PreparedTask, prepareTask } from './prepare-task.ts'
import { retakeLease } from './retake-lease.ts'
import { type ReplicaStatus, replicaLease, writeReplicaStatus } from './status.ts'
import { type ObjectStore, StoreError, type StoreErrorKind } from './store/object-store.ts'
import { openStore } from './store/open-store.ts'

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
/** How long the end of a run waits for that, once a day. */
const PRUNE_END_MS = 2000

/** Keeps a task in a store, from before it is started until nothing works on it any more. One process per task does. */
export async function replicate(
  { task, settings, command, steal, starter }: ReplicateRequest,
  agent: Agent,
  io: Io,
  { notice, ready, ending }: Replicating,
): Promise<void> {
  const activity = new Activity(task, starter, ending)
  const own = await takeOwn(task, settings, activity, ready)
  if (!own) return
  try {
    const store = await openStore(settings.address, io)
    const status = new StatusFile(task.folder, store, io)
    const writerId = randomUUID()
    let config = ''
    const prepare = async (isStarted: boolean): Promise<PreparedTask> => {
      const opened = await openConfig(store, settings, io)
      const { sealer, isNew } = opened
      config = opened.config
      if (isNew) notice(`created a new replica in ${store.address}${sealer.isEncrypted ? '' : ', not encrypted'}`)
      const common = { agent, task, store, sealer, io, command, notice, wait: sleep, writer: writerId, isStarted }
      return prepareTask({ ...common, steal: steal && !isStarted })
    }
    const before = async (): Promise<PreparedTask | Later> => {
      const isRetaken = await retakeLease({ task, store, settings, io, writer: writerId })
      return isRetaken ? { waitMs: 0 } : prepare(activity.isStarted)
    }
    const early = await before().catch((error: unknown): Later => {
      if (!mayComeBack(error) || !isKnownHere(task, store.address)) throw error
      notice(`${messageOf(error)}; started from what is here, and stored as soon as ${store.address} answers`)
      return { waitMs: RETRY_MS }
    })
    status.begin()
    if (!activity.isStarted) ready()
    activity.isStarted = true
    const prepared =
      'log' in early
        ? early
        : await activity.within(
            GRACE_MS,
            catchUp(() => prepare(true), early, activity, status),
          )
    if (prepared === 'overdue') status.overdue()
    if (!prepared || prepared === 'overdue') return
    let pruned = readLocalRecord(task.folder, store.address)?.pruned
    const { log, lease, loaded } = prepared
    const image = new TaskImage({ agent, task, io }, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    let last: Image | undefined
    const isPruned = io.now().getTime() - Date.parse(pruned ?? '') < PRUNE_MS
    let pruning: Promise<void> | undefined
    const prune = async (): Promise<void> => {
      const confirm = (): Promise<void> => requireSameTenure(log, lease.tenure)
      await pruneLog(log, lease.tenure, settings, { now: io.now(), confirm })
      pruned = io.now().toISOString()
    }
    const onProgress = (progress: Progress): void => {
      last = progress.stored ?? last
      status.note(progress)
      // Whatever goes wrong, the next start tries again.
      if (last && !isPruned) pruning ??= prune().catch(() => {})
    }
    const { isActive, wait } = activity
    const followed = followTask({ image, writer, lease, io, isActive, wait, onProgress })
    const how = await activity.within(GRACE_MS, followed)
    image.close()
    // Otherwise it would be started over and over, and never be done, for a task whose runs are short.
    if (how !== 'overdue') await Promise.race([pruning, sleep(PRUNE_END_MS, undefined, { ref: false })])
    const head = writer.state?.head
    if (last && head && how !== 'fenced') {
      const { parts } = last
      recordEnd(task.folder, { log, lease, head, parts, pruned, config: how === 'ended' ? config : undefined })
    }
    if (how === 'ended') status.ended()
    if (how === 'overdue') status.overdue()
  } catch (error) {
    throw error instanceof StoreError ? error.toIonError() : error
  } finally {
    own.release()
  }
}

/** The process of the last run may be about to end when this one comes. */
const SUCCEED_MS = GRACE_MS + 5000

/** Undefined when another process stores the task already, and continues to. */
async function takeOwn(
  { folder }: Task,
  { address }: ReplicaSettings,
  activity: Activity,
  ready: () => void,
): Promise<Lease | undefined> {
  const until = performance.now() + SUCCEED_MS
  for (;;) {
    const own = takeLease(replicaLease(folder), { address })
    if (!isHolder(own)) return own
    if (!activity.isStarted) ready()
    activity.isStarted = true
    if (performance.now() > until || !activity.isActive()) return undefined
    await sleep(STEP_MS)
  }
}

/** The store may answer later, without anybody doing anything about its settings. */
function mayComeBack(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.isTemporary || COMES_BACK.has(error.kind))
}

const COMES_BACK: ReadonlySet<StoreErrorKind> = new Set(['unreachable', 'slow', 'full'])

const RETRY_MS = 5000

/** The task may be started, and what else is to be asked of the store is asked after so long. */
interface Later {
  readonly waitMs: number
}

/** While the agent works already: undefined when another workspace has the task by then, or the store never answers. */
async function catchUp(
  prepare: () => Promise<PreparedTask>,
  { waitMs }: Later,
  { isActive, wait }: Activity,
  status: StatusFile,
): Promise<PreparedTask | undefined> {
  await wait(waitMs)
  for (;;) {
    const isLast = !isActive()
    try {
      return await prepare()
    } catch (error) {
      const isFenced = error instanceof Fenced || (error instanceof IonError && error.kind === 'refused')
      status.note({ state: isFenced ? 'fenced' : 'behind', problem: messageOf(error) })
      if (isFenced || isLast) return undefined
    }
    await wait(RETRY_MS)
  }
}

/** Whether something works on the task, and waiting that ends when that may have changed. */
class Activity {
  readonly #task: Task
  readonly #starter: ProcessIdentity
  readonly #ending: AbortSignal
  /** The starter was told that it may start the agent. */
  isStarted = false
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
        // Whatever is being waited for may not ask.
        if (this.#ending.aborted) this.isActive()
        if (this.#endedAt !== undefined && performance.now() - this.#endedAt > graceMs) resolve('overdue')
      }, STEP_MS)
    })
    return Promise.race([work, overdue]).finally(() => clearInterval(timer))
  }
}

const STEP_MS = 100

/** A status that has not changed is written again only this often, for its counts. */
const STATUS_MS = 15_000

class StatusFile {
  readonly #folder: string
  readonly #store: ObjectStore
  readonly #io: Io
  #status: ReplicaStatus
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(folder: string, store: ObjectStore, io: Io) {
    this.#folder = folder
    this.#store = store
    this.#io = io
    const since = io.now().toISOString()
    const times = { behind_since: since, last_stored: null, ledger_bytes: null, since }
    const { address } = store
    this.#status = { address, pid: process.pid, state: 'behind', problem: null, requests: 0, bytes_sent: 0, ...times }
  }

  /** What is there is of the run before. */
  begin(): void {
    this.#write(this.#status)
  }

  note({ state, problem, stored }: Progress): void {
    const now = this.#io.now().toISOString()
    const isStored = state === 'stored'
    this.#write({
      ...this.#status,
      state,
      problem: problem ?? null,
      behind_since: isStored ? null : (this.#status.behind_since ?? now),
      last_stored: isStored ? now : this.#status.last_stored,
      ledger_bytes: stored?.parts.find(({ name }) => name === LEDGER_PART)?.size ?? this.#status.ledger_bytes,
    })
  }

  ended(): void {
    this.#write({ ...this.#status, state: 'ended' })
  }

  /** The last state was not stored in time. What is known to be wrong with the store says more. */
  overdue(): void {
    const { address, problem } = this.#status
    this.note({ state: 'behind', problem: problem ?? `${address} did not store it within ${GRACE_MS / 1000} s` })
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
