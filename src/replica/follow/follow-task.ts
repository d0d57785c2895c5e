import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { BEAT_MS, type ReplicaLease } from '../lease.ts'
import { Fenced, type Image, type LogWriter } from '../log/write-log.ts'
import { SessionGone, type TaskImage } from './task-image.ts'

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
  /** Why it is not stored; undefined if it only takes its time. */
  readonly problem?: string
  /** The last image that was stored. */
  readonly stored?: Image
}

/** An agent's write is stored within a second: half of it for the look, half for the store. */
const LOOK_MS = 400
/** Looking takes at most this share of the time. */
const SHARE = 5

/**
 * Stores what the task writes, until nothing works on it any more; then the last state, and the lease is given back.
 * `gone`: the session is not in the agent's store any more, and the replica has it as it was.
 */
export async function followTask(following: Following): Promise<'ended' | 'gone' | 'fenced'> {
  const { image, writer, lease, io, isActive, wait, onProgress } = following
  let failures = 0
  const heart = new Heart(lease, writer)
  for (;;) {
    // Asked before looking: whatever was written before the end is seen.
    const isLast = !isActive()
    const began = performance.now()
    try {
      const now = image.look()
      const tookMs = performance.now() - began
      const storing = lease.beatDuring(writer.store(now, io.now()))
      await notedIfSlow(storing, () => onProgress({ state: 'behind' }))
      image.stored(now)
      await heart.beatIfDue()
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
      image.doubt()
      failures++
      onProgress({ state: 'behind', problem: messageOf(error) })
      const next = await heart.whileBehind(isLast && error instanceof SessionGone)
      if (next instanceof Fenced) {
        onProgress({ state: 'fenced', problem: next.message })
        return 'fenced'
      }
      if (next === 'released') return 'gone'
      // Longer and longer, but not so long that it seems to be gone.
      await wait(Math.min(BEAT_MS, LOOK_MS * 2 ** Math.min(failures, 10)))
    }
  }
}

/** Storing that takes so long counts as being behind. */
const SLOW_MS = 2000

async function notedIfSlow<T>(work: Promise<T>, note: () => void): Promise<T> {
  const timer = setTimeout(note, SLOW_MS)
  return work.finally(() => clearTimeout(timer))
}

/** Says that this workspace lives, however long storing takes and whatever there is to store. */
class Heart {
  readonly #lease: ReplicaLease
  readonly #writer: LogWriter
  #last = performance.now()

  constructor(lease: ReplicaLease, writer: LogWriter) {
    this.#lease = lease
    this.#writer = writer
  }

  async beatIfDue(): Promise<void> {
    if (performance.now() - this.#last <= BEAT_MS) return
    await this.#lease.beat(this.#writer.state?.head)
    this.#last = performance.now()
  }

  /** That the store cannot be reached is known by then. */
  async whileBehind(isOver: boolean): Promise<Fenced | 'released' | undefined> {
    try {
      if (!isOver) await this.beatIfDue()
      // Whoever is next continues from the record that is named here, and does not look for a later one.
      else await this.#lease.release(await this.#writer.head())
      return isOver ? 'released' : undefined
    } catch (error) {
      return error instanceof Fenced ? error : undefined
    }
  }
}
