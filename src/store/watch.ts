import type { Agent } from '../agents/agent.ts'
import { isPassing, isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { startReading } from '../native/reading.ts'
import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, takeLease } from '../platform/lease.ts'
import { pause } from '../platform/pause.ts'
import { ArchiveIndex } from './archive-index.ts'
import { writerFolder } from './archive-place.ts'
import { WatchedFolders } from './watch-folders.ts'
import { LiveSession } from './watch-session.ts'
import { Settling } from './watch-settle.ts'
import { WatchedStore } from './watch-store.ts'

/** New events of a session, which are on the disk. */
export interface Arrival {
  readonly agent: Agent
  readonly head: SessionHead
  readonly added: number
  readonly problems: number
}

export interface WatchListener {
  onArrival(arrival: Arrival): void
  /** Something that a person should know; the watch goes on. Each text is told once. */
  onTrouble(message: string): void
}

/** When another process writes into the archive, it is tried again so soon, and then less often. */
const LEASE_MS = { first: 20, longest: 250 }
/** What could not be read or written is tried again so soon. */
const AGAIN_MS = 1000
/** Stores with folders that the system does not watch are looked through so often. */
const SLOW_MS = 10_000
/** What takes long is not done again at once: it may take a third of the time, and looking through a store a tenth. */
const REST = { reading: 2, looking: 10 }
/** After having been away for so long, the system may have dropped what it had to tell. */
const AWAY_MS = 2000
/** At the end it waits so long for another process. */
const END_MS = 1000
/** So many sessions are kept open. */
const LIVE = 64

/** Follows the stores of agents, and appends to the archive what they write. One process; it sleeps while nothing is written. */
export class ArchiveWatch {
  readonly #io: Io
  readonly #listener: WatchListener
  readonly #folders: WatchedFolders
  readonly #stores: readonly WatchedStore[]
  readonly #settling: Settling
  /** By agent and session, the one written to last at the end. */
  readonly #live = new Map<string, LiveSession>()
  /** Of files that are read on: what to do without asking the adapter for heads. */
  readonly #growing = new Map<string, { readonly key: string; readonly head: SessionHead }>()
  /** Of each session as it was last read here or archived before. */
  readonly #revisions = new Map<string, string | null>()
  /** Not before that time: a source by its key, a store by its agent. */
  readonly #rests = new Map<string, number>()
  readonly #told = new Set<string>()
  #index: ArchiveIndex | undefined
  #leaseMs = LEASE_MS.first
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #immediate: NodeJS.Immediate | undefined
  #slowTimer: NodeJS.Timeout | undefined
  #isStarted = false

  constructor(agents: readonly Agent[], io: Io, listener: WatchListener) {
    this.#io = io
    this.#listener = listener
    this.#folders = new WatchedFolders((path, kind) => {
      for (const store of this.#stores) store.heard(path, kind)
      this.#soon()
    })
    this.#stores = agents.map((agent) => new WatchedStore(agent, this.#folders, io))
    for (const store of this.#stores) store.onLeft = (left) => this.#leave(left)
    this.#settling = new Settling(io, {
      onArrival: (arrival) => listener.onArrival(arrival),
      onTrouble: (message) => this.#tell(message),
      onSettled: ({ agent, head }) => this.#revisions.set(keyOf(agent, head), head.revision),
    })
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
    this.#index = new ArchiveIndex(this.#io)
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
    for (const live of this.#live.values()) live.close()
    this.#live.clear()
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
    const begun = performance.now()
    for (const store of this.#stores) if (store.isStale) this.#look(store)
    const due = this.#due()
    if (due.length > 0) this.#takeAll(due)
    if (performance.now() - begun > AWAY_MS) {
      for (const store of this.#stores) store.isStale = true
      this.#later(AGAIN_MS)
    }
  }

  /** Waits a moment for whoever else writes into the archive; what is left then is taken at the next start. */
  #workToTheEnd(): void {
    const end = performance.now() + END_MS
    do {
      this.#rests.clear()
      this.#work()
      if (this.#due().length === 0) return
      pause(LEASE_MS.first)
    } while (performance.now() < end)
  }

  #look(store: WatchedStore): void {
    if (this.#isResting(store.agent.id)) return
    this.#rest(store.agent.id, REST.looking, () => store.look())
    if (store.isDeaf) this.#lookSlowly()
  }

  #lookSlowly(): void {
    this.#tell(
      `the system does not watch ${this.#folders.refused.size} of the folders (on Linux: fs.inotify.max_user_watches); ` +
        `they are looked at every ${SLOW_MS / 1000} seconds`,
    )
    this.#slowTimer ??= setTimeout(() => {
      this.#slowTimer = undefined
      for (const store of this.#stores) if (store.isDeaf) store.isStale = true
      this.#soon()
    }, SLOW_MS)
  }

  #due(): { readonly store: WatchedStore; readonly path: string }[] {
    return this.#stores.flatMap((store) =>
      [...store.changed]
        .filter((path) => !this.#isResting(`${store.agent.id} ${path}`))
        .map((path) => ({ store, path })),
    )
  }

  #takeAll(due: readonly { readonly store: WatchedStore; readonly path: string }[]): void {
    const lease = this.#takeLease()
    if (!lease) return
    try {
      for (const { store, path } of due) {
        store.changed.delete(path)
        this.#rest(`${store.agent.id} ${path}`, REST.reading, () => this.#takeSource(store, path))
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
      this.#later(AGAIN_MS)
    }
    return undefined
  }

  /** Everything that is new in one source. What fails stays due. */
  #takeSource(store: WatchedStore, path: string): void {
    try {
      if (!this.#takeGrowing(store.agent, path) && !this.#takeHeads(store, path)) this.#again(store, path)
    } catch (error) {
      this.#tell(`${store.agent.id}: ${path}: ${messageOf(error)}`)
      this.#again(store, path)
    }
  }

  #again(store: WatchedStore, path: string): void {
    store.changed.add(path)
    this.#rests.set(`${store.agent.id} ${path}`, performance.now() + AGAIN_MS)
    this.#later(AGAIN_MS)
  }

  /** The short way: the file has grown, and its reader waits at the place. False when that is not so. */
  #takeGrowing(agent: Agent, path: string): boolean {
    const known = this.#growing.get(`${agent.id} ${path}`)
    const live = known && this.#live.get(known.key)
    if (!known || !live?.isGrowing) return false
    this.#take(live, known.head, path)
    return true
  }

  /** False when something was not readable just now. */
  #takeHeads(store: WatchedStore, path: string): boolean {
    const { agent } = store
    const source = store.source(path)
    if (!source) {
      this.#soon()
      return true
    }
    let isWhole = true
    for (const head of agent.heads(source, startReading(this.#io))) {
      if (isProblem(head)) isWhole &&= !isPassing(head)
      else if (this.#isNews(agent, head)) {
        // A session is kept by its project. One that does not say yet where it is gets a moment to do so.
        if (head.cwd === null && !this.#isArchived(agent, head)) this.#settling.expect(store, path, head)
        else isWhole = this.#take(this.#liveOf(agent, head), head, path) && isWhole
      }
    }
    return isWhole
  }

  #isNews(agent: Agent, head: SessionHead): boolean {
    const key = keyOf(agent, head)
    const known = this.#revisions.has(key) ? this.#revisions.get(key) : this.#index?.get(agent.id, head.id)?.revision
    return known !== head.revision
  }

  #isArchived(agent: Agent, head: SessionHead): boolean {
    return this.#revisions.has(keyOf(agent, head)) || this.#index?.get(agent.id, head.id) !== undefined
  }

  #liveOf(agent: Agent, head: SessionHead): LiveSession {
    const key = keyOf(agent, head)
    const live = this.#live.get(key) ?? new LiveSession(agent, this.#io)
    this.#live.delete(key)
    this.#live.set(key, live)
    const [oldest] = this.#live
    if (oldest && this.#live.size > LIVE) {
      oldest[1].close()
      this.#live.delete(oldest[0])
    }
    return live
  }

  #take(live: LiveSession, head: SessionHead, path: string): boolean {
    const { agent } = live
    const { added, problems, isWhole } = live.take(head)
    const key = keyOf(agent, head)
    this.#revisions.set(key, isWhole ? head.revision : null)
    if (live.isGrowing) this.#growing.set(`${agent.id} ${path}`, { key, head })
    else this.#growing.delete(`${agent.id} ${path}`)
    if (added > 0) this.#listener.onArrival({ agent, head, added, problems })
    const store = this.#stores.find((one) => one.agent === agent)
    if (store) this.#settling.expect(store, path, head)
    return isWhole
  }

  #isResting(key: string): boolean {
    const until = this.#rests.get(key)
    if (until === undefined) return false
    const left = until - performance.now()
    if (left > 0) this.#later(left)
    else this.#rests.delete(key)
    return left > 0
  }

  /** Does something, and lets it rest for a multiple of the time that it took. */
  #rest(key: string, times: number, act: () => void): void {
    const begun = performance.now()
    act()
    const now = performance.now()
    if (now - begun > SHORT_MS && !this.#rests.has(key)) this.#rests.set(key, now + times * (now - begun))
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

/** What takes less needs no rest. */
const SHORT_MS = 5

/** An agent and its successor may share an id. */
function keyOf(agent: Agent, head: SessionHead): string {
  return `${agent.id}/${head.id}`
}
