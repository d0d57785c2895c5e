import type { ChainedRecord } from './read-log.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS

export interface Retention {
  /** How long a task can be restored to an earlier moment. */
  readonly days: number
}

/**
 * Which records are no longer needed. Every record of the last hour is kept, so that each of its moments can be restored; of
 * the last day, the checkpoints; before that, one checkpoint an hour; nothing older than the retention. Whatever its age, the
 * newest state stays.
 */
export function expired(chain: readonly ChainedRecord[], { days }: Retention, now: Date): ChainedRecord[] {
  const newest = chain.findLastIndex(({ kind }) => kind === 'checkpoint')
  const needed = new Set(chain.slice(Math.max(0, newest)))
  // Also what the first of them has replaced: that was the newest state until then, and a workspace that takes over at this
  // moment may build on it. A segment can be read only with everything from its checkpoint on.
  const firstRecent = chain.findIndex(({ ageMs }) => ageMs <= HOUR_MS)
  const recentFrom =
    firstRecent < 0 ? chain.length : chain.slice(0, Math.max(1, firstRecent)).findLastIndex(isCheckpoint)
  const hours = new Set<number>()
  for (const [index, record] of chain.entries()) {
    if (index >= recentFrom) needed.add(record)
    else if (!isCheckpoint(record) || record.ageMs > days * DAY_MS) continue
    else if (record.ageMs <= DAY_MS) needed.add(record)
    else {
      const hour = Math.floor((now.getTime() - record.ageMs) / HOUR_MS)
      if (!hours.has(hour)) needed.add(record)
      hours.add(hour)
    }
  }
  return chain.filter((record) => !needed.has(record))
}

function isCheckpoint({ kind }: ChainedRecord): boolean {
  return kind === 'checkpoint'
}
