import type { ListedRecord } from './keys.ts'
import { type DecodedRecord, decodeRecord, type Head, type Place } from './record.ts'
import { advance, type LogState, segmentSource } from './state.ts'
import type { TaskLog } from './task-log.ts'

/** A record of the log that counts, and how long ago it was stored. */
export interface ChainedRecord extends ListedRecord {
  readonly ageMs: number
}

/** The current tenure of a task, as its lease tells: what it builds on, and what it is known to have stored. */
export interface Tenure {
  readonly epoch: number
  readonly base: Place | null
  readonly head?: Head | null
  /** A random id of it, in each of its records. */
  readonly writer?: string
}

/** What a state needs to be restored: also the bytes of the records after its checkpoint. */
export interface LoadedState {
  readonly state: LogState
  readonly bytes: ReadonlyMap<string, Buffer>
}

/**
 * The records of a task, oldest first: those of the current epoch, before them those that it builds on, and so on. What a
 * writer that was replaced has stored after that is not among them.
 */
export async function listChain(log: TaskLog, tenure: Tenure): Promise<ChainedRecord[]> {
  const byEpoch = new Map<number, ChainedRecord[]>()
  for await (const { key, ageMs } of log.store.list(log.keys.records)) {
    const record = log.keys.parse(key)
    if (!record) continue
    const epoch = byEpoch.get(record.epoch) ?? []
    byEpoch.set(record.epoch, epoch)
    epoch.push({ ...record, ageMs })
  }
  const chain: ChainedRecord[] = []
  let part: { epoch: number; until: number } | undefined = { epoch: tenure.epoch, until: Number.POSITIVE_INFINITY }
  while (part) {
    const { epoch, until }: { epoch: number; until: number } = part
    const records: ChainedRecord[] = (byEpoch.get(epoch) ?? []).filter(({ number }) => number <= until)
    chain.unshift(...records)
    // The lease knows it for the current epoch, which may have no records yet.
    const base: Place | null | undefined = epoch === tenure.epoch ? tenure.base : records[0]?.base
    part = base ? { epoch: base.epoch, until: base.number } : undefined
    // All of its records were lost: whatever is older can still be restored.
    if (!part && records.length === 0 && epoch !== tenure.epoch) part = newestBefore(epoch, byEpoch.keys())
  }
  return chain
}

/**
 * The newest tenure that has stored something; undefined if none has. The lease is put before the first record of a tenure, so a
 * lease of an earlier one is not the last that was put.
 */
export async function newestTenure(log: TaskLog): Promise<Tenure | undefined> {
  let newest: Tenure | undefined
  for (const folder of await log.store.folders(log.keys.records)) {
    const { epoch = 0, base = null } = log.keys.parseTenure(folder) ?? {}
    if (epoch > (newest?.epoch ?? 0)) newest = { epoch, base }
  }
  return newest
}

function newestBefore(epoch: number, epochs: Iterable<number>): { epoch: number; until: number } | undefined {
  const older = Math.max(0, ...[...epochs].filter((one) => one < epoch))
  return older === 0 ? undefined : { epoch: older, until: Number.POSITIVE_INFINITY }
}

/** What is wrong if the newest records that the lease knows of are missing; undefined if they are not. */
export function whyIncomplete(chain: readonly Place[], tenure: Tenure): string | undefined {
  const known = tenure.head ?? tenure.base
  if (!known || !isBefore(chain.at(-1), known)) return undefined
  return `lacks records that were stored: ${known.epoch}/${known.number} is missing`
}

/** The state after the last record of the chain. Undefined for a task that has none. */
export async function loadState(log: TaskLog, chain: readonly ChainedRecord[]): Promise<LoadedState | undefined> {
  const start = chain.findLastIndex(({ kind }) => kind === 'checkpoint')
  if (chain.length === 0) return undefined
  if (start < 0) throw log.damaged(chain[0]!.key, 'has no checkpoint before it')
  let state: LogState | undefined
  const bytes = new Map<string, Buffer>()
  for (const listed of chain.slice(start)) {
    const before: LogState | undefined = state
    const [next, brought] = await log.read(listed.key, (plain) => {
      const decoded = decodedAt(plain, listed)
      return [advance(before, decoded), decoded.bytes] as const
    })
    state = next
    if (brought.length > 0) bytes.set(segmentSource(next.head), brought)
  }
  return state && { state, bytes }
}

/** The newest state. Throws when records are missing that the lease knows of, or were stored by somebody that it does not know of. */
export async function loadNewest(log: TaskLog, tenure: Tenure): Promise<LoadedState | undefined> {
  const chain = await listChain(log, tenure)
  const problem = whyIncomplete(chain, tenure)
  if (problem !== undefined) throw log.damaged(log.keys.records, problem)
  const loaded = await loadState(log, chain)
  const isOthers =
    loaded?.state.head.epoch === tenure.epoch && loaded.state.writer !== (tenure.writer ?? loaded.state.writer)
  if (isOthers) throw log.rolledBack()
  return loaded
}

/** The record as its name says: one that was put in the place of another is not accepted. */
function decodedAt(plain: Buffer, { epoch, number, kind }: ListedRecord): DecodedRecord {
  const decoded = decodeRecord(plain)
  const { record } = decoded
  if (record.epoch !== epoch || record.number !== number || record.kind !== kind)
    throw new Error('has another name inside')
  return decoded
}

function isBefore(place: Place | undefined, other: Place): boolean {
  if (!place) return true
  return place.epoch < other.epoch || (place.epoch === other.epoch && place.number < other.number)
}
