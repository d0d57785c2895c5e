import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { BEAT_MS, type ReplicaLease } from '../lease.ts'
import { Fenced, type Image, type LogWriter } from '../log/write-log.ts'
import type { TaskImage } from './task-image.ts'

export interface Following {
  readonly image: TaskImage
  readonly writer: LogWriter
  readonly lease: ReplicaLease
  readonly io: Pick<Io, 'now'>
  /** Whether anything works on the task. */
  readonly isActive: () => boolean
  /** Resolves after that time, or sooner when there is a reason to look. */
  readonly wait: (ms: number) => Promise<void>
  readonly onProgress: (progress: Progress) => void
}

export interface Progress {
  readonly state: 'stored' | 'behind' | 'fenced'
  /** Why it is not stored. */
  readonly problem?: string
  /** The last image that was stored. */
  readonly stored?: Image
}

/** An agent's write is stored within a second: half of it for the look, half for the store. */
const LOOK_MS = 400
/** After a failure, longer and longer. */
const MAX_WAIT_MS = 30_000
/** Looking takes at most this share of the time. */
const SHARE = 5

/** Stores what the task writes, until nothing works on it any more; then the last state, and the lease is given back. */
export async function followTask(following: Following): Promise<'ended' | 'fenced'> {
  const { image, writer, lease, io, isActive, wait, onProgress } = following
  let failures = 0
  let lastBeat = performance.now()
  for (;;) {
    // Asked before looking: whatever was written before the end is seen.
    const isLast = !isActive()
    const began = performance.now()
    try {
      const now = image.look()
      const tookMs = performance.now() - began
      await writer.store(now, io.now())
      image.stored(now)
      if (performance.now() - lastBeat > BEAT_MS) {
        await lease.beat(writer.state?.head)
        lastBeat = performance.now()
      }
      failures = 0
      onProgress({ state: 'stored', stored: now })
      if (isLast) {
        await lease.release(writer.state?.head)
        return 'ended'
      }
      await wait(Math.max(LOOK_MS, tookMs * SHARE))
    } catch (error) {
      if (error instanceof Fenced) {
        onProgress({ state: 'fenced', problem: error.message })
        return 'fenced'
      }
      failures++
      onProgress({ state: 'behind', problem: messageOf(error) })
      await wait(Math.min(MAX_WAIT_MS, LOOK_MS * 2 ** Math.min(failures, 10)))
    }
  }
}
