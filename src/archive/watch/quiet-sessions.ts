import type { Agent } from '../../agents/agent.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { Archive } from '../archive.ts'
import type { NewEvents } from './ingest.ts'
import type { WatchedStore } from './watched-store.ts'

/** A session is quiet when nothing was written to it for this long; a large one, which takes longer to capture, later. */
const QUIET_MS = 10_000
const QUIET_MS_PER_MB = 5000
/** Wait when another process is writing into the archive. */
const LEASE_RETRY_MS = 2000
/** Wait when the disk is full. */
const FULL_RETRY_MS = 30_000
/** Time limit for `finish`; the next start captures the rest. */
const FINISH_MS = 2000

interface Expected {
  readonly store: WatchedStore
  readonly path: string
  readonly head: SessionHead
  readonly at: number
}

export interface QuietListener {
  onArrival(arrival: NewEvents): void
  onTrouble(message: string): void
  onCaptured(agent: Agent, head: SessionHead): void
}

/**
 * Captures sessions once they are quiet, just as `ion capture` does: compares the whole session once more, makes the exact
 * copy, and updates the index. Until then the log has all events, and the index an older state of the session.
 */
export class QuietSessions {
  readonly #io: Io
  readonly #listener: QuietListener
  readonly #expected = new Map<string, Expected>()
  #timer: NodeJS.Timeout | undefined

  constructor(io: Io, listener: QuietListener) {
    this.#io = io
    this.#listener = listener
  }

  /** The session was just written to. */
  expect(store: WatchedStore, path: string, head: SessionHead): void {
    this.#schedule({ store, path, head }, QUIET_MS + (head.bytes / 1e6) * QUIET_MS_PER_MB)
    this.#startTimer()
  }

  /** Captures the waiting sessions, small ones first, within a time limit. */
  finish(): void {
    clearTimeout(this.#timer)
    const bySize = [...this.#expected.values()].sort((a, b) => a.head.bytes - b.head.bytes)
    const end = performance.now() + FINISH_MS
    this.#capture(bySize, () => performance.now() < end)
  }

  #schedule(session: Omit<Expected, 'at'>, ms: number): void {
    this.#expected.set(keyOf(session), { ...session, at: performance.now() + ms })
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    if (this.#expected.size === 0) return
    const next = Math.min(...[...this.#expected.values()].map(({ at }) => at))
    this.#timer = setTimeout(() => this.#captureNext(), Math.max(0, next - performance.now()))
  }

  #captureNext(): void {
    const now = performance.now()
    const first = [...this.#expected.values()].find(({ at }) => at <= now)
    // One at a time, so that new events do not wait for all of them.
    if (first) this.#capture([first], () => true)
    this.#startTimer()
  }

  #capture(due: readonly Expected[], hasTime: () => boolean): void {
    if (due.length === 0) return
    try {
      const archive = new Archive(this.#io, 0)
      try {
        for (const one of due) if (hasTime()) this.#captureOne(archive, one)
      } finally {
        archive.close()
      }
    } catch (error) {
      const isRefused = error instanceof IonError && error.kind === 'refused'
      if (!isRefused) this.#listener.onTrouble(messageOf(error))
      // After any other error a session is tried again when it is next written to.
      if (isRefused) for (const one of due) this.#schedule(one, LEASE_RETRY_MS)
      else if (isDiskFull(error)) for (const one of due) this.#schedule(one, FULL_RETRY_MS)
    }
  }

  #captureOne(archive: Archive, expected: Expected): void {
    const { store, path, head } = expected
    const { agent } = store
    this.#expected.delete(keyOf(expected))
    const now = currentHead(store, path, head.id, this.#io)
    // Gone from the store: the archive has what there was of it.
    if (!now) return
    const { added, problems } = archive.capture(agent, now)
    if (added > 0) this.#listener.onArrival({ agent, head: now, added, problems })
    this.#listener.onCaptured(agent, now)
  }
}

function keyOf({ store, head }: Pick<Expected, 'store' | 'head'>): string {
  return `${store.agent.id}/${head.id}`
}

function currentHead(store: WatchedStore, path: string, id: string, io: Io): SessionHead | undefined {
  const source = store.source(path)
  if (!source) return undefined
  for (const head of store.agent.heads(source, readContext(io))) if (!isProblem(head) && head.id === id) return head
  return undefined
}
