import type { RefreshOptions, SteppedCatalog } from '../../catalog/catalog.ts'
import { openCatalog } from '../../catalog/open.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import { requireOwnHome } from '../../platform/home-owner.ts'
import type { Io } from '../../platform/io.ts'
import { finish } from '../../platform/pace.ts'

/** An answer that is not older than this is fresh enough. */
const FRESH_MS = 1000
/** Comparing the stores takes at most this share of the time. */
const REFRESH_SHARE = 0.1
/** The first list of a new index is not complete; readers wait for it so long. */
const FIRST_WAIT_MS = 1500

/** The index of all sessions, brought up to date in small steps while others are answered. */
export class SessionIndex {
  readonly catalog: SteppedCatalog
  readonly #stopped = new AbortController()
  readonly #onChange = new Set<() => void>()
  readonly #onTrouble: (line: string) => void
  #refreshing: Promise<void> | undefined
  #isAgain = false
  #refreshedAt = Number.NEGATIVE_INFINITY
  #notBefore = 0

  constructor(io: Io, onTrouble: (line: string) => void = () => {}, catalog: SteppedCatalog = opened(io, onTrouble)) {
    this.catalog = catalog
    this.#onTrouble = onTrouble
  }

  /** Aborted when the index is closed: nothing may be asked of it any more. */
  get closed(): AbortSignal {
    return this.#stopped.signal
  }

  /** Called after a refresh that found something else than before. */
  onChange(listener: () => void): () => void {
    this.#onChange.add(listener)
    return () => this.#onChange.delete(listener)
  }

  /** Compares the stores, unless that was done just now. A list of the index as it is does not wait for it. */
  async refresh(options: RefreshOptions = {}): Promise<void> {
    if (this.#refreshing) {
      this.#isAgain = true
      return this.#refreshing
    }
    this.#refreshing = this.#run(options).finally(() => {
      this.#refreshing = undefined
      const isAgain = this.#isAgain
      this.#isAgain = false
      if (isAgain) this.refreshSoon()
    })
    return this.#refreshing
  }

  /** In the background, and not more often than its cost allows. */
  refreshSoon(): void {
    if (this.#refreshing || this.#stopped.signal.aborted) {
      this.#isAgain = true
      return
    }
    const wait = Math.max(0, this.#notBefore - performance.now())
    this.#refreshing = new Promise<void>((resolve) => setTimeout(resolve, wait).unref()).then(() => {
      this.#refreshing = undefined
      return this.refresh()
    })
  }

  /** For a list: what changed in the last second may be missing. Waits only where nothing was compared yet. */
  async freshEnough(): Promise<void> {
    const isFirst = this.#refreshedAt === Number.NEGATIVE_INFINITY
    if (!isFirst && performance.now() - this.#refreshedAt < FRESH_MS) return
    const done = this.#refreshing ?? this.refresh()
    if (isFirst) await Promise.race([done, new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS).unref())])
  }

  /** By id, or as on the command line. A session that is not in the index may be new. Throws `not-found` or `usage`. */
  async find(reference: string): Promise<SessionRow> {
    try {
      return this.catalog.find(reference)
    } catch (error) {
      if (!(error instanceof IonError) || error.kind !== 'not-found') throw error
      await this.refresh()
      return this.catalog.find(reference)
    }
  }

  /** What names the session and no other. */
  referenceOf(row: Pick<SessionRow, 'id' | 'agent'>): string {
    return this.catalog.isIdShared(row) ? `${row.agent}:${row.id}` : row.id
  }

  locate(row: Pick<SessionRow, 'id' | 'path'>): Located {
    return this.catalog.locate(row)
  }

  close(): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.catalog.close()
  }

  async #run(options: RefreshOptions): Promise<void> {
    const began = performance.now()
    try {
      const { changed, removed } = await finish(this.catalog.refreshSteps(options), this.#stopped.signal)
      if (changed + removed > 0) for (const listener of this.#onChange) listener()
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#onTrouble(messageOf(error))
    }
    const now = performance.now()
    this.#refreshedAt = now
    this.#notBefore = now + (now - began) * (1 / REFRESH_SHARE - 1)
  }
}

function opened(io: Io, onNotice: (line: string) => void): SteppedCatalog {
  requireOwnHome(io)
  return openCatalog(io, onNotice)
}
