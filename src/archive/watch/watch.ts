import type { Agent } from '../../agents/agent.ts'
import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { isHolder, takeLease } from '../../platform/lease.ts'
import { sleepSync } from '../../platform/sleep-sync.ts'
import { writerFolder } from '../archive-paths.ts'
import { Pace } from './backoff.ts'
import { type NewEvents, sourceKey, Taking } from './ingest.ts'
import { Settling } from './quiet-sessions.ts'
import { WatchedFolders, type WatchFolder } from './watch-folders.ts'
import { CLOCK_MS, WatchedStore } from './watch-store.ts'

export interface WatchOptions {
  /** As `fs.watch`; a test has another. */
  readonly watchFolder?: WatchFolder
  /** Stores with folders that the system does not watch are looked through so often. */
  readonly slowMs?: number
}

export interface WatchListener {
  onArrival(arrival: NewEvents): void
  /** Something that a person should know; the watch goes on. Each text is told once. */
  onTrouble(message: string): void
}

/** When another process writes into the archive, it is tried again so soon, and then less often. */
const LEASE_MS = { first: 20, longest: 250 }
/** What could not be read or written is tried again so soon, and then less often. */
const AGAIN_MS = { first: 1000, longest: 60_000 }
const SLOW_MS = 10_000
/**
 * What takes long is not done again at once: it may take a third of the time, looking through a store a tenth, and
 * listing all sessions of a database, where those that are being written were asked already, a hundredth.
 */
const REST = { reading: 2, looking: 10, listing: 100 }
/** But not more often than this. */
const LISTING_MS = 500
/** Asking only sessions that are followed is quick: after it, so long at most. */
const SHORT_MS = 10
/** After having read and written for so long, the system may have dropped what it had to tell. */
const AWAY_MS = 2000
/** At the end it waits so long for another process. */
const END_MS = 1000

interface Due {
  readonly store: WatchedStore
  readonly path: string
}

/** Follows the stores of agents, and appends to the archive what they write. One process; it sleeps while nothing is written. */
export class ArchiveWatch {
  readonly #io: Io
  readonly #listener: WatchListener
  readonly #folders: WatchedFolders
  readonly #stores: readonly WatchedStore[]
  readonly #settling: Settling
  readonly #taking: Taking
  /** Of sources by their key, and of looking through stores by their agent. */
  readonly #pace = new Pace()
  /** Sources of which only the sessions that are followed have been asked since they changed. */
  readonly #unlisted = new Set<string>()
  /** How often in a row a source could not be taken. */
  readonly #failures = new Map<string, number>()
  readonly #told = new Set<string>()
  readonly #slowMs: number
  #leaseMs = LEASE_MS.first
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #immediate: NodeJS.Immediate | undefined
  #slowTimer: NodeJS.Timeout | undefined
  #isStarted = false

  constructor(agents: readonly Agent[], io: Io, listener: WatchListener, options: WatchOptions = {}) {
    this.#io = io
    this.#slowMs = options.slowMs ?? SLOW_MS
    this.#listener = listener
    this.#folders = new WatchedFolders((path, kind) => {
      for (const store of this.#stores) store.heard(path, kind)
      this.#soon()
    }, options.watchFolder)
    this.#stores = agents.map((agent) => new WatchedStore(agent, this.#folders, io))
    for (const store of this.#stores) store.onLeft = (left) => this.#leave(left)
    this.#settling = new Settling(io, {
      onArrival: (arrival) => listener.onArrival(arrival),
      onTrouble: (message) => this.#tell(message),
      onSettled: ({ agent, head }) => this.#taking.noteSettled(agent, head),
    })
    this.#taking = new Taking(io, this.#settling, listener)
  }

  get folders(): number {
    return this.#folders.size
  }

  /** Listens from now on, and takes all that is there for known: whoever calls this archives it, then calls `start`. */
  listen(): void {
    for (const store of this.#stores) {
      store.look()
      store.changed.clear()
    }
  }

  /** Archives from now on, beginning with what has changed since `listen`. */
  start(): void {
    this.#isStarted = true
    this.#taking.start()
    for (const store of this.#stores) store.isStale = true
    this.#soon()
  }

  /** Takes in what has been written up to now, and ends. */
  stop(): void {
    if (this.#isStarted) this.#workToTheEnd()
    this.#isStarted = false
    clearTimeout(this.#timer)
    clearTimeout(this.#slowTimer)
    clearImmediate(this.#immediate)
    this.#folders.close()
    this.#taking.close()
    this.#settling.finish()
  }

  /** All that the system tells in one go is done in one go; the first at once. */
  #soon(): void {
    if (this.#isStarted) this.#immediate ??= setImmediate(() => this.#work())
  }

  #later(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = at
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY
      this.#soon()
    }, ms)
  }

  #work(): void {
    this.#immediate = undefined
    for (const store of this.#stores) if (store.isStale) this.#look(store)
    const due = this.#due()
    if (due.length === 0) return
    const begun = performance.now()
    this.#takeAll(due)
    if (performance.now() - begun > AWAY_MS) {
      for (const store of this.#stores) store.isStale = true
      this.#later(AGAIN_MS.first)
    }
  }

  /** Waits a moment for whoever else writes into the archive; what is left then is taken at the next start. */
  #workToTheEnd(): void {
    const end = performance.now() + END_MS
    // The system may not have told everything yet.
    for (const store of this.#stores) store.isStale = true
    do {
      this.#pace.wake()
      this.#work()
      if (this.#stores.every((store) => store.changed.size === 0)) return
      sleepSync(LEASE_MS.first)
    } while (performance.now() < end)
  }

  #look(store: WatchedStore): void {
    if (this.#isResting(store.agent.id)) return
    const begun = performance.now()
    store.look()
    this.#pace.restAfter(store.agent.id, performance.now() - begun, REST.looking)
    if (store.isStale) this.#soon()
    if (store.isDeaf) this.#lookSlowly()
  }

  #lookSlowly(): void {
    this.#tell(
      'there are more folders than the system watches for one user (on Linux: fs.inotify.max_user_watches), or some that ' +
        `it cannot watch; those are looked at every ${this.#slowMs / 1000} seconds`,
    )
    this.#slowTimer ??= setTimeout(() => {
      this.#slowTimer = undefined
      for (const store of this.#stores) if (store.isDeaf) store.isStale = true
      this.#soon()
    }, this.#slowMs)
  }

  #due(): Due[] {
    return this.#stores.flatMap((store) =>
      [...store.changed].filter((path) => this.#isDue(store, path)).map((path) => ({ store, path })),
    )
  }

  #isDue(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    if (this.#isResting(this.#taking.isFollowing(store, path) ? shortKey(key) : key)) return false
    const isUnlisted = this.#unlisted.has(key)
    if (isUnlisted && !this.#isResting(key)) return true
    const state = store.stateOf(path)
    if (state === 'same' && !isUnlisted) store.changed.delete(path)
    if (state === 'unsure') this.#later(CLOCK_MS)
    return state === 'changed'
  }

  #takeAll(due: readonly Due[]): void {
    const lease = this.#takeLease()
    if (!lease) return
    try {
      for (const { store, path } of due) {
        store.changed.delete(path)
        this.#takeSource(store, path)
      }
    } finally {
      lease.release()
    }
  }

  #takeLease(): { release(): void } | undefined {
    try {
      const lease = takeLease(writerFolder(this.#io), { since: this.#io.now().toISOString() })
      if (!isHolder(lease)) {
        this.#leaseMs = LEASE_MS.first
        return lease
      }
      this.#later(this.#leaseMs)
      this.#leaseMs = Math.min(2 * this.#leaseMs, LEASE_MS.longest)
    } catch (error) {
      this.#tell(messageOf(error))
      this.#later(AGAIN_MS.first)
    }
    return undefined
  }

  /** Everything that is new in one source. What fails stays due. */
  #takeSource(store: WatchedStore, path: string): void {
    try {
      if (this.#takeNews(store, path)) this.#failures.delete(sourceKey(store, path))
      else this.#again(store, path)
      // It was gone: looking tells where to.
      if (store.isStale) this.#soon()
    } catch (error) {
      this.#tell(`${store.agent.id}: ${path}: ${messageOf(error)}`)
      this.#again(store, path)
    }
  }

  /** False when something was not readable just now. */
  #takeNews(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    const begun = performance.now()
    const left = this.#taking.takeKnown(store, path)
    if (left === 'nothing') return true
    const listing = performance.now()
    if (left === 'rest') this.#pace.rest(shortKey(key), Math.min(REST.reading * (listing - begun), SHORT_MS))
    if (left === 'rest' && this.#isResting(key)) {
      this.#unlisted.add(key)
      store.changed.add(path)
      return true
    }
    this.#unlisted.delete(key)
    const isWhole = this.#taking.take(store, path)
    const ms = performance.now() - listing
    if (left === 'rest') this.#pace.rest(key, Math.max(REST.listing * ms, LISTING_MS))
    // What is read on costs nothing the next time, however long the first reading took.
    else if (!this.#taking.isFollowing(store, path)) this.#pace.restAfter(key, ms, REST.reading)
    return isWhole
  }

  #again(store: WatchedStore, path: string): void {
    const key = sourceKey(store, path)
    const failures = this.#failures.get(key) ?? 0
    const ms = Math.min(AGAIN_MS.first * 2 ** failures, AGAIN_MS.longest)
    this.#failures.set(key, failures + 1)
    store.changed.add(path)
    store.forgetTaken(path)
    this.#pace.rest(key, ms)
    this.#pace.rest(shortKey(key), ms)
    this.#later(ms)
  }

  #isResting(key: string): boolean {
    const left = this.#pace.left(key)
    if (left > 0) this.#later(left)
    return left > 0
  }

  #leave(left: readonly string[]): void {
    for (const folder of left) if (!this.#stores.some((store) => store.wants(folder))) this.#folders.drop(folder)
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return
    this.#told.add(message)
    this.#listener.onTrouble(message)
  }
}

/** Of the short way by itself. */
function shortKey(key: string): string {
  return `${key} short`
}
