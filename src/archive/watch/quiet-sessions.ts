import type { Agent } from '../../agents/agent.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { Archive } from '../archive.ts'
import type { WatchedStore } from './watch-store.ts'

/** A session is settled when nothing was written to it for so long: a large one, which takes longer, later. */
const QUIET_MS = 10_000
const QUIET_MS_PER_MB = 5000
/** Another process writes. */
const AGAIN_MS = 2000
/** The disk is full. */
const FULL_MS = 30_000
/** At the end there is so much time; what is left is done at the next start. */
const END_MS = 2000

interface Expected {
  readonly store: WatchedStore
  readonly path: string
  readonly head: SessionHead
  readonly at: number
}

interface Settled {
  readonly agent: Agent
  readonly head: SessionHead
}

export interface SettleListener {
  onArrival(arrival: Settled & { readonly added: number; readonly problems: number }): void
  onTrouble(message: string): void
  onSettled(settled: Settled): void
}

/**
 * What is done when a session has come to rest, by the ordinary way of `ion capture`: the whole is compared once more, the
 * exact copy is made, and the index gets its line. Until then the log has all events, and the index an older state of it.
 */
export class Settling {
  readonly #io: Io
  readonly #listener: SettleListener
  readonly #expected = new Map<string, Expected>()
  #timer: NodeJS.Timeout | undefined

  constructor(io: Io, listener: SettleListener) {
    this.#io = io
    this.#listener = listener
  }

  /** Something was written to that session just now. */
  expect(store: WatchedStore, path: string, head: SessionHead): void {
    const at = performance.now() + QUIET_MS + (head.bytes / 1e6) * QUIET_MS_PER_MB
    this.#expected.set(`${store.agent.id}/${head.id}`, { store, path, head, at })
    this.#wake()
  }

  /** Settles what is waiting, the small ones first, as far as a moment reaches. */
  finish(): void {
    clearTimeout(this.#timer)
    const bySize = [...this.#expected.values()].sort((a, b) => a.head.bytes - b.head.bytes)
    const end = performance.now() + END_MS
    this.#settle(bySize, () => performance.now() < end)
  }

  #wake(): void {
    clearTimeout(this.#timer)
    if (this.#expected.size === 0) return
    const next = Math.min(...[...this.#expected.values()].map(({ at }) => at))
    this.#timer = setTimeout(() => this.#settleDue(), Math.max(0, next - performance.now()))
  }

  #settleDue(): void {
    const now = performance.now()
    const [first] = [...this.#expected.values()].filter(({ at }) => at <= now)
    // One at a time, so that what is written meanwhile does not wait for all of them.
    if (first) this.#settle([first], () => true)
    this.#wake()
  }

  #settle(due: readonly Expected[], mayGoOn: () => boolean): void {
    if (due.length === 0) return
    try {
      const archive = new Archive(this.#io, 0)
      try {
        for (const one of due) if (mayGoOn()) this.#settleOne(archive, one)
      } finally {
        archive.close()
      }
    } catch (error) {
      const isRefused = error instanceof IonError && error.kind === 'refused'
      if (!isRefused) this.#listener.onTrouble(messageOf(error))
      // What fails for another reason is tried again when it is written to.
      if (isRefused) for (const one of due) this.#postpone(one, AGAIN_MS)
      else if (isDiskFull(error)) for (const one of due) this.#postpone(one, FULL_MS)
    }
  }

  #settleOne(archive: Archive, expected: Expected): void {
    const { store, path, head } = expected
    const { agent } = store
    this.#expected.delete(`${agent.id}/${head.id}`)
    const now = headNow(store, path, head.id, this.#io)
    // Gone from the store: what there was of it is in the archive.
    if (!now) return
    const { added, problems } = archive.capture(agent, now)
    if (added > 0) this.#listener.onArrival({ agent, head: now, added, problems })
    this.#listener.onSettled({ agent, head: now })
  }

  #postpone(one: Expected, ms: number): void {
    this.#expected.set(`${one.store.agent.id}/${one.head.id}`, { ...one, at: performance.now() + ms })
  }
}

function headNow(store: WatchedStore, path: string, id: string, io: Io): SessionHead | undefined {
  const source = store.source(path)
  if (!source) return undefined
  for (const head of store.agent.heads(source, readContext(io))) if (!isProblem(head) && head.id === id) return head
  return undefined
}
