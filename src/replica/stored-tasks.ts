import { messageOf } from '../platform/error.ts'
import { TASKS } from './find-task.ts'
import { readImageAbout } from './image-about.ts'
import { type FoundLease, isCurrent, placeOf, readLease, stateOf } from './lease.ts'
import { listChain, loadState, whyIncomplete } from './log/read-log.ts'
import { sizeOf } from './log/state.ts'
import { TaskLog } from './log/task-log.ts'
import { type LogCheck, verifyLog } from './log/verify-log.ts'
import type { OpenStore } from './open.ts'
import { StoreError } from './store/object-store.ts'

/** One task in a store, as `ion replica status --json` prints it. Times are by the store's clock. */
export interface StoredTask {
  /** Its prefix in the store. */
  readonly folder: string
  /** Null when nothing was stored yet. */
  readonly agent: string | null
  readonly task: string | null
  readonly project: string | null
  /** `unknown`: held by another machine that was heard of recently. */
  readonly lease: 'free' | 'lives' | 'unknown' | 'damaged'
  /** Who has or last had it. */
  readonly holder: string | null
  readonly held_since: string | null
  readonly last_stored: string | null
  /** The earliest state that can be restored. */
  readonly restorable_from: string | null
  readonly bytes: number
  /** Why it cannot be read. */
  readonly problem: string | null
}

/** The logs of all tasks. */
export async function* taskLogs({ store, sealer }: Pick<OpenStore, 'store' | 'sealer'>): AsyncGenerator<TaskLog> {
  for (const task of await store.folders(TASKS)) {
    for (const place of await store.folders(`${TASKS}${task}/`))
      yield new TaskLog(store, sealer, `${TASKS}${task}/${place}`)
  }
}

/** Damage is part of the answer: it does not hide the other tasks. */
export async function describeTask(log: TaskLog, now: Date): Promise<StoredTask> {
  let problem: string | null = null
  const noted = (error: unknown): undefined => {
    if (error instanceof StoreError) throw error
    problem = messageOf(error)
  }
  const lease = await requireLease(log).catch(noted)
  const chain = lease ? await listChain(log, lease.document) : []
  const timeOf = (record: { readonly ageMs: number } | undefined): string | null =>
    record ? new Date(now.getTime() - record.ageMs).toISOString() : null
  const loaded = await loadState(log, chain).catch(noted)
  const missing = lease && whyIncomplete(chain, lease.document)
  if (missing !== undefined) noted(log.damaged(log.keys.records, missing))
  const about = loaded && readImageAbout(loaded.state.about)
  return {
    folder: log.folder,
    agent: about?.agent ?? null,
    task: about?.name ?? null,
    project: about?.project ?? null,
    lease: lease ? stateOf(lease) : 'damaged',
    holder: lease ? placeOf(lease.document) : null,
    held_since: lease?.document.since ?? null,
    last_stored: timeOf(chain.at(-1)),
    restorable_from: timeOf(chain.find(({ kind }) => kind === 'checkpoint')),
    bytes: loaded ? sizeOf(loaded.state) : 0,
    problem,
  }
}

/** As `verifyLog`, also if the lease, without which nothing is known, is damaged. */
export async function verifyTask(log: TaskLog): Promise<LogCheck> {
  try {
    return await verifyLog(log, (await requireLease(log)).document)
  } catch (error) {
    if (error instanceof StoreError) throw error
    return { records: 0, pieces: 0, bytes: 0, problems: [messageOf(error)] }
  }
}

async function requireLease(log: TaskLog): Promise<FoundLease> {
  const lease = await readLease(log)
  if (!lease) throw log.damaged(log.keys.lease, 'is missing')
  await isCurrent(log, lease)
  return lease
}
