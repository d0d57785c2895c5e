import type { ListedObject } from '../store/object-store.ts'
import { type ChainedRecord, listChain, type Tenure } from './read-log.ts'
import { decodeRecord } from './record.ts'
import { expired, type Retention } from './retention.ts'
import type { TaskLog } from './task-log.ts'

const DAY_MS = 24 * 3600_000
/** A checkpoint that is being written needs pieces that no record names yet. */
const UNNAMED_MS = DAY_MS

export interface PruneOptions {
  readonly now: Date
  /**
   * Throws if the tenure is not the current one any more. Asked when everything was listed: whoever takes over later builds on
   * what was listed, while one that has taken over before may build on less, if the one before it wrote on without knowing.
   */
  readonly confirm: () => Promise<void>
  readonly dryRun?: boolean
}

export interface Pruned {
  readonly records: number
  readonly pieces: number
  readonly bytes: number
}

/**
 * Removes what the retention does not keep, also while a workspace writes: first records, then pieces that no record needs.
 * A piece of a record that is not seen here is one of the newest checkpoint, which stays, or was put just now under a new name.
 * What is left of an interrupted prune is removed by the next.
 */
export async function pruneLog(
  log: TaskLog,
  tenure: Tenure,
  retention: Retention,
  { now, confirm, dryRun = false }: PruneOptions,
): Promise<Pruned> {
  const { store, keys } = log
  const chain = await listChain(log, tenure)
  const orphanMs = Math.max(1, retention.days) * DAY_MS
  const gone = new Set(expired(chain, retention, now).map(({ key }) => key))
  const kept = chain.filter(({ key }) => !gone.has(key))
  const ofChain = new Set(chain.map(({ key }) => key))
  const records: ListedObject[] = []
  for await (const object of store.list(keys.records)) {
    // Of a writer that was replaced: nobody reads them. What is of this epoch or a later one may be newer than the chain.
    const { epoch = tenure.epoch } = keys.parse(object.key) ?? {}
    const isOrphan = !ofChain.has(object.key) && epoch < tenure.epoch && object.ageMs > orphanMs
    if (gone.has(object.key) || isOrphan) records.push(object)
  }
  const needed = await neededPieces(log, kept)
  const pieces: ListedObject[] = []
  for await (const object of store.list(keys.pieces)) {
    if (!needed.has(object.key) && object.ageMs > UNNAMED_MS) pieces.push(object)
  }
  if (!dryRun) {
    await confirm()
    await store.remove(records.map(({ key }) => key))
    await store.remove(pieces.map(({ key }) => key))
  }
  const bytes = [...records, ...pieces].reduce((sum, { size }) => sum + size, 0)
  return { records: records.length, pieces: pieces.length, bytes }
}

async function neededPieces(log: TaskLog, kept: readonly ChainedRecord[]): Promise<Set<string>> {
  const needed = new Set<string>()
  for (const { key, kind } of kept) {
    if (kind !== 'checkpoint') continue
    const { record } = await log.read(key, decodeRecord)
    if (record.kind !== 'checkpoint') continue
    for (const { pieces } of record.parts) for (const [id] of pieces) needed.add(log.keys.piece(id))
  }
  return needed
}
