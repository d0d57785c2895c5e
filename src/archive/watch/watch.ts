import type { Agent } from '../../agents/agent.ts'
import { FolderWatch, type WatchFolder } from '../../live/folder-watch.ts'
import { MTIME_RESOLUTION_MS } from '../../live/seen-files.ts'
import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { isHolder, takeLease } from '../../platform/lease.ts'
import { sleepSync } from '../../platform/wait.ts'
import { writerFolder } from '../archive-paths.ts'
import { Ingester, type NewEvents, sourceKey } from './ingest.ts'
import { QuietSessions } from './quiet-sessions.ts'
import { WatchedStore } from './watched-store.ts'

export interface WatchOptions {
  /** As `fs.watch`; tests pass another. */
  readonly watchFolder?: WatchFolder
  /** Interval at which stores with folders that the system does not watch are scanned. */
  readonly scanMs?: number
}

export interface WatchListener {
  onArrival(arrival: NewEvents): void
  /** Something that a person should know; the watch continues. Each message is reported once. */
  onTrouble(message: string): void
}

/** Retry intervals, doubled each time, when another process writes into the archive. */
const LEASE_MS = { first: 20, longest: 250 }
/** The same for what could not be read or written. */
const RETRY_MS = { first: 1000, longest: 60_000 }
const SCAN_MS = 10_000
/**
 * Expensive work is followed by a rest of this many times its duration: reading gets up to a third of the time, scanning a
 * store a tenth, and listing the sessions of a database whose active ones are being followed a hundredth.
 */
const REST = { reading: 2, scanning: 10, listing: 100 }
const MIN_LISTING_REST_MS = 500
/** Reading only what is new in followed sessions is cheap, so the rest after it is short. */
const MAX_TAIL_REST_MS = 10
/** After blocking the event loop for this long, file events may have been lost. */
const BLOCKED_MS = 2000
/** How long `stop` waits for another process that writes into the archive. */
const STOP_MS = 1000

interface Due {
  readonly store: WatchedStore
  readonly path: string
}

/** Follows the stores of agents and archives what they write. One process; it sleeps while nothing is written. */
export class ArchiveWatch {
  readonly #io: Io
  readonly #listener: WatchListener
  readonly #folders: FolderWatch
  readonly #stores: readonly WatchedStore[]
  readonly #quiet: QuietSessions
  readonly #ingester: Ingester
  /** For sources by their key, and for scans by agent. */
  readonly #backoff = new Backoff()
  /** Sources that have changed and were only ingested where their sessions are being followed. */
  readonly #unlisted = new Set<string>()
  /** Consecutive failures of each source. */
  readonly #failures = new Map<string, number>()
  readonly #reported = new Set<string>()
  readonly #scanMs: number
  #leaseMs = LEASE_MS.first
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #immediate: NodeJS.Immediate | undefined
  #scanTimer: NodeJS.Timeout | undefined
  #isStarted = false

  constructor(agents: readonly Agent[], io: Io, listener: WatchListener, options: WatchOptions = {}) {
    this.#io = io
    this.#scanMs = options.scanMs ?? SCAN_MS
    this.#listener = listener
    this.#folders = new FolderWatch((path, kind) => {
      for (const store of this.#stores) store.onFsEvent(path, kind)
      this.#workSoon()
    }, options.watchFolder)
    this.#stores = agents.map((agent) => new WatchedStore(agent, this.#folders, io))
    for (const store of this.#stores) store.onUnwatch = (folders) => this.#unwatch(folders)
    this.#quiet = new QuietSessions(io, {
      onArrival: (arrival) => listener.onArrival(arrival),
      onTrouble: (message) => this.#report(message),
      onCaptured: (agent, head) => this.#ingester.noteCaptured(agent, head),
    })
    this.#ingester = new Ingester(io, this.#quiet, listener)
  }

  get folders(): number {
    return this.#folders.size
  }

  /** Starts to watch, and regards all that exists as archived: the caller archives it, then calls `start`. */
  listen(): void {
    for (const store of this.#stores) {
      store.scan()
      store.changed.clear()
    }
  }

  /** Archives from now on, beginning with what has changed since `listen`. */
  start(): void {
    this.#isStarted = true
    this.#ingester.start()
    this.#rescanAll()
    this.#workSoon()
  }

  /** Archives what has been written up to now, and ends. */
  stop(): void {
    if (this.#isStarted) this.#finish()
    this.#isStarted = false
    clearTimeout(this.#timer)
    clearTimeout(this.#scanTimer)
    clearImmediate(this.#immediate)
    this.#folders.close()
    this.#ingester.close()
    this.#quiet.finish()
  }

  #rescanAll(): void {
    for (const store of this.#stores) store.needsRescan = true
  }

  /** Handles all file events of one turn of the event loop at once. */
  #workSoon(): void {
    if (this.#isStarted) this.#immediate ??= setImmediate(() => this.#work())
  }

  #workIn(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.#workSoon()
    }, ms)
  }

  #work(): void {
    this.#immediate = undefined
    for (const store of this.#stores) if (store.needsRescan) this.#scan(store)
    const due = this.#due()
    if (due.length === 0) return
    const begun = performance.now()
    this.#ingestAll(due)
    if (performance.now() - begun > BLOCKED_MS) {
      this.#rescanAll()
      this.#workIn(RETRY_MS.first)
    }
  }

  /** Waits a moment for other writers of the archive; the next start archives what is left. */
  #finish(): void {
    const end = performance.now() + STOP_MS
    // Not all file events may have arrived yet.
    this.#rescanAll()
    do {
      this.#backoff.clear()
      this.#work()
      if (this.#stores.every((store) => store.changed.size === 0)) return
      sleepSync(LEASE_MS.first)
    } while (performance.now() < end)
  }

  #scan(store: WatchedStore): void {
    if (this.#isResting(store.agent.id)) return
    const begun = performance.now()
    store.scan()
    this.#backoff.restAfter(store.agent.id, performance.now() - begun, REST.scanning)
    if (store.needsRescan) this.#workSoon()
    if (store.hasUnwatchedFolders) this.#scanRegularly()
  }

  #scanRegularly(): void {
    this.#report(
      'the system cannot watch all folders: its limit is reached (on Linux: fs.inotify.max_user_watches), or their file ' +
        `system does not support it; those folders are checked every ${this.#scanMs / 1000} seconds`,
    )
    this.#scanTimer ??= setTimeout(() => {
      this.#scanTimer = undefined
      for (const store of this.#stores) if (store.hasUnwatchedFolders) store.needsRescan = true
      this.#workSoon()
    }, this.#scanMs)
  }

  #due(): Due[] {
    return this.#stores.flatMap((store) =>
      [...store.changed].filter((path) => this.#isDue(store, path)).map((path) => ({ store, path })),
    )
  }

  #isDue(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    if (this.#isResting(this.#ingester.isFollowing(store, path) ? tailKey(key) : key)) return false
    const isUnlisted = this.#unlisted.has(key)
    if (isUnlisted && !this.#isResting(key)) return true
    const state = store.stateOf(path)
    if (state === 'same' && !isUnlisted) store.changed.delete(path)
    if (state === 'unsure') this.#workIn(MTIME_RESOLUTION_MS)
    return state === 'changed'
  }

  #ingestAll(due: readonly Due[]): void {
    const lease = this.#takeLease()
    if (!lease) return
    try {
      for (const { store, path } of due) {
        store.changed.delete(path)
        this.#ingestSource(store, path)
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
      this.#workIn(this.#leaseMs)
      this.#leaseMs = Math.min(2 * this.#leaseMs, LEASE_MS.longest)
    } catch (error) {
      this.#report(messageOf(error))
      this.#workIn(RETRY_MS.first)
    }
    return undefined
  }

  #ingestSource(store: WatchedStore, path: string): void {
    try {
      if (this.#ingestChanges(store, path)) this.#failures.delete(sourceKey(store, path))
      else this.#retry(store, path)
      // The source is gone: a scan finds out whether it has moved.
      if (store.needsRescan) this.#workSoon()
    } catch (error) {
      this.#report(`${store.agent.id}: ${path}: ${messageOf(error)}`)
      this.#retry(store, path)
    }
  }

  /** False when something could not be read now. */
  #ingestChanges(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    const begun = performance.now()
    const remaining = this.#ingester.ingestTail(store, path)
    if (remaining === 'nothing') return true
    const listing = performance.now()
    if (remaining === 'listing') {
      this.#backoff.rest(tailKey(key), Math.min(REST.reading * (listing - begun), MAX_TAIL_REST_MS))
      if (this.#isResting(key)) {
        this.#unlisted.add(key)
        store.changed.add(path)
        return true
      }
    }
    this.#unlisted.delete(key)
    const isComplete = this.#ingester.ingest(store, path)
    const ms = performance.now() - listing
    if (remaining === 'listing') this.#backoff.rest(key, Math.max(REST.listing * ms, MIN_LISTING_REST_MS))
    // A followed session is cheap the next time, however long the first read took.
    else if (!this.#ingester.isFollowing(store, path)) this.#backoff.restAfter(key, ms, REST.reading)
    return isComplete
  }

  #retry(store: WatchedStore, path: string): void {
    const key = sourceKey(store, path)
    const failures = this.#failures.get(key) ?? 0
    const ms = Math.min(RETRY_MS.first * 2 ** failures, RETRY_MS.longest)
    this.#failures.set(key, failures + 1)
    store.changed.add(path)
    store.forgetSeen(path)
    this.#backoff.rest(key, ms)
    this.#backoff.rest(tailKey(key), ms)
    this.#workIn(ms)
  }

  #isResting(key: string): boolean {
    const left = this.#backoff.left(key)
    if (left > 0) this.#workIn(left)
    return left > 0
  }

  #unwatch(folders: readonly string[]): void {
    for (const folder of folders) {
      if (!this.#stores.some((store) => store.isWatching(folder))) this.#folders.drop(folder)
    }
  }

  #report(message: string): void {
    if (this.#reported.has(message)) return
    this.#reported.add(message)
    this.#listener.onTrouble(message)
  }
}

/** For `ingestTail`, which rests on its own. */
function tailKey(key: string): string {
  return `${key} tail`
}

/** Anything shorter needs no rest. */
const SHORT_MS = 5

/** Keeps expensive work from running back to back. */
class Backoff {
  readonly #until = new Map<string, number>()

  /** Milliseconds until it may run again; 0 when it may run now. */
  left(key: string): number {
    const left = (this.#until.get(key) ?? 0) - performance.now()
    if (left > 0) return left
    this.#until.delete(key)
    return 0
  }

  rest(key: string, ms: number): void {
    this.#until.set(key, performance.now() + ms)
  }

  /** Rests for a multiple of the time that the work took. */
  restAfter(key: string, ms: number, times: number): void {
    if (ms > SHORT_MS && this.left(key) === 0) this.rest(key, times * ms)
  }

  clear(): void {
    this.#until.clear()
  }
}
