import { messageOf } from '../../platform/error.ts'
import { isPieceOf } from './piece-names.ts'
import { type ChainedRecord, listChain, type Tenure, whyIncomplete } from './read-log.ts'
import { type DecodedRecord, decodeRecord } from './record.ts'
import { advance, type LogState } from './state.ts'
import type { TaskLog } from './task-log.ts'

export interface LogCheck {
  readonly records: number
  readonly pieces: number
  /** In the store. */
  readonly bytes: number
  readonly problems: readonly string[]
}

/** Reads everything that a restore may need, at any moment that is kept, and compares it with its hashes. */
export async function verifyLog(log: TaskLog, tenure: Tenure): Promise<LogCheck> {
  const problems: string[] = []
  const received = log.store.usage.bytesReceived
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      problems.push(messageOf(error))
      return undefined
    }
  }
  const chain = await listChain(log, tenure)
  const missing = whyIncomplete(chain, tenure)
  if (missing !== undefined) problems.push(messageOf(log.damaged(log.keys.records, missing)))
  const pieces = new Set<string>()
  let state: LogState | undefined
  for (const [index, listed] of chain.entries()) {
    const before = followsDirectly(chain[index - 1], listed) ? state : undefined
    const next = await attempt(() => log.read(listed.key, (plain) => step(before, decodeRecord(plain))))
    state = next?.state
    for (const id of next?.pieces ?? []) pieces.add(id)
  }
  for (const id of pieces) {
    await attempt(() =>
      log.read(log.keys.piece(id), (plain) => {
        if (!isPieceOf(log.sealer, id, plain)) throw new Error('is another piece')
      }),
    )
  }
  const bytes = log.store.usage.bytesReceived - received
  return { records: chain.length, pieces: pieces.size, bytes, problems }
}

function step(before: LogState | undefined, decoded: DecodedRecord): { state: LogState; pieces: string[] } {
  const { record } = decoded
  const pieces =
    record.kind === 'checkpoint' ? record.parts.flatMap((part) => part.pieces.map(([id]): string => id)) : []
  return { state: advance(before, decoded), pieces }
}

/** Between two checkpoints, older records may have been pruned. */
function followsDirectly(before: ChainedRecord | undefined, { epoch, number, base }: ChainedRecord): boolean {
  if (!before) return false
  if (before.epoch === epoch) return before.number === number - 1
  return number === 1 && base?.epoch === before.epoch && base.number === before.number
}
