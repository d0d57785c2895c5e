import { IonError } from '../platform/error.ts'
import { isHolder, takeLease } from '../platform/lease.ts'
import { localTime } from '../platform/local-time.ts'
import { readTaskState } from '../run/session-record.ts'
import { isUntouched } from '../run/task-state.ts'
import { findTask, findTaskFrom } from './find-task.ts'
import { readLease } from './lease.ts'
import { readLocalRecord } from './local-record.ts'
import {
  type ChainedRecord,
  type LoadedState,
  listChain,
  loadNewest,
  loadState,
  newestTenure,
  type Tenure,
} from './log/read-log.ts'
import type { Head } from './log/record.ts'
import { sizeOf } from './log/state.ts'
import { TaskLog } from './log/task-log.ts'
import { busyHere, type PrepareRequest, restoreHere, takeStoreLease } from './prepare-task.ts'
import { replicaLease } from './status.ts'
import { StoreError } from './store/object-store.ts'

export interface MomentRequest extends PrepareRequest {
  /** The folder that the task was in, if it is not that of this project. */
  readonly from?: string | undefined
  /** Undefined for the newest state. */
  readonly at: Date | undefined
  /** Archive the session here, and take that of the store. */
  readonly replace: boolean
  readonly dryRun: boolean
}

export interface RestoredMoment {
  /** When that state was stored, by the store's clock. */
  readonly at: string
  readonly bytes: number
  /** Its id; null before the agent has created one, and for what is not restored yet. */
  readonly session_id: string | null
  /** The session that it has replaced, which is in the archive. */
  readonly archived_id: string | null
}

/** Restores a task of this project as it was at a moment, without starting anything. */
export async function restoreMoment(request: MomentRequest): Promise<RestoredMoment> {
  const { task, store, io, replace, dryRun } = request
  const log = await logOf(request)
  const found = log && (await tenureOf(log))
  if (!log || !found) throw notStored(request)
  const refuse = (): void => {
    if (!replace) throw alreadyUsed(request)
  }
  if (!isUntouched(readTaskState(task.folder))) refuse()
  if (dryRun) return describe(await stateAt(request, log, found.tenure), {}, io.now())
  const own = takeLease(replicaLease(task.folder), { address: store.address })
  if (isHolder(own)) throw busyHere()
  try {
    const earlier = await otherBase(request, log, found)
    const lease = await takeStoreLease(request, log, earlier)
    try {
      const chosen = await stateAt(request, log, lease.tenure)
      const head = earlier ?? (await loadNewest(log, lease.tenure))!.state.head
      const { session, archived } = await lease.beatDuring(restoreHere(request, log, chosen.loaded, head, refuse))
      return describe(chosen, { session: session?.head.id, archived }, io.now())
    } finally {
      await lease.release(undefined)
    }
  } finally {
    own.release()
  }
}

async function logOf({ from, task, store, sealer, io, notice }: MomentRequest): Promise<TaskLog | undefined> {
  if (from !== undefined) return findTaskFrom(from, task, store, sealer, io)
  const record = readLocalRecord(task.folder, store.address, sealer.storeId)
  return record ? new TaskLog(store, sealer, record.folder) : findTask(task, store, sealer, io, notice)
}

interface FoundTenure {
  readonly tenure: Tenure
  /** The lease is not of this one: it is gone, or of an earlier one. */
  readonly isUnknown: boolean
}

/** The newest one, whatever the lease says. Undefined for a task that is not in the store. */
async function tenureOf(log: TaskLog): Promise<FoundTenure | undefined> {
  const { document } = (await readLease(log)) ?? {}
  const stored = await newestTenure(log)
  if (stored && stored.epoch > (document?.epoch ?? 0)) return { tenure: stored, isUnknown: true }
  return document && { tenure: document, isUnknown: false }
}

/** The record from which the log continues if its newest state is damaged, or not known to the lease: the one that is restored. */
async function otherBase(
  request: MomentRequest,
  log: TaskLog,
  { tenure, isUnknown }: FoundTenure,
): Promise<Head | undefined> {
  try {
    await loadNewest(log, tenure)
    if (!isUnknown) return undefined
  } catch (error) {
    if (error instanceof StoreError) throw error
  }
  return (await stateAt(request, log, tenure)).loaded.state.head
}

interface ChosenState {
  readonly record: ChainedRecord
  readonly loaded: LoadedState
}

async function stateAt({ at, io, task, store }: MomentRequest, log: TaskLog, tenure: Tenure): Promise<ChosenState> {
  const chain = await listChain(log, tenure)
  const ageMs = at ? io.now().getTime() - at.getTime() : Number.NEGATIVE_INFINITY
  const until = chain.findLastIndex((record) => record.ageMs >= ageMs)
  const loaded = await loadState(log, chain.slice(0, until + 1))
  if (loaded) return { record: chain[until]!, loaded }
  const [first] = chain
  throw new IonError(
    'not-found',
    `${store.address} has no state of ${task.agent} ${task.name} ${at ? `from before ${localTime(at.toISOString())}` : 'yet'}`,
    {
      hint: first
        ? `the oldest is of ${secondAfter(io.now().getTime() - first.ageMs)}: --at <that time>`
        : 'nothing of it was stored yet',
    },
  )
}

/** The full second after that: two clocks are never compared to the millisecond. */
function secondAfter(ms: number): string {
  return new Date(Math.ceil((ms + 100) / 1000) * 1000).toISOString().replace('.000', '')
}

function describe(
  { record, loaded }: ChosenState,
  { session, archived }: { readonly session?: string | undefined; readonly archived?: string | undefined },
  now: Date,
): RestoredMoment {
  return {
    at: new Date(now.getTime() - record.ageMs).toISOString(),
    bytes: sizeOf(loaded.state),
    session_id: session ?? null,
    archived_id: archived ?? null,
  }
}

function notStored({ from, task, store }: MomentRequest): IonError {
  const project = from ?? task.project
  return new IonError('not-found', `${store.address} has no task ${task.name} of ${task.agent} for ${project}`, {
    hint: 'ion replica status lists the tasks there, with their projects; --from names another folder, --task another task',
  })
}

function alreadyUsed({ task, store }: MomentRequest): IonError {
  return new IonError('refused', `the task ${task.name} of ${task.agent} was already used here`, {
    hint: `--replace archives the session here and takes that of ${store.address}`,
  })
}
