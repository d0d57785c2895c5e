import type { Agent } from '../../agents/agent.ts'
import { isProblem, isTransient } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { ArchiveIndex, entryOf } from '../archive-index.ts'
import type { Settling } from './quiet-sessions.ts'
import { LiveSession, type Taken } from './watch-session.ts'
import type { WatchedStore } from './watch-store.ts'

/** New events of a session, which are on the disk. */
export interface NewEvents {
  readonly agent: Agent
  readonly head: SessionHead
  readonly added: number
  readonly problems: number
}

/** So many sessions are kept open. */
const LIVE = 64

/** So many of a database are asked at each change. */
const RECENT = 4

/** The sessions of a database that are read on. */
interface Followed {
  /** Rows after this are new. */
  since: number
  /** By their native ids. */
  readonly heads: Map<string, SessionHead>
  /** Those that had news last, the last one first: what is changed in place is most likely there. */
  recent: readonly string[]
}

/**
 * What is left to do in a source after the short way: nothing; to see whether something else has changed in it, which
 * can wait; or everything.
 */
export type Left = 'nothing' | 'rest' | 'all'

/** Takes what is new in a source into the archive. The caller has the archive's lease. */
export class Taking {
  readonly #io: Io
  readonly #settling: Settling
  readonly #listener: { onArrival(arrival: NewEvents): void }
  /** By agent and session, the one written to last at the end. */
  readonly #live = new Map<string, LiveSession>()
  /** Of files that are read on: what to do without asking the adapter for heads. */
  readonly #growing = new Map<string, { readonly key: string; readonly head: SessionHead }>()
  readonly #followed = new Map<string, Followed>()
  /** Of each session as it was last read here. */
  readonly #revisions = new Map<string, string | null>()
  /** As the archive was in the beginning, and the sessions that came since. */
  #index: ArchiveIndex | undefined

  constructor(io: Io, settling: Settling, listener: { onArrival(arrival: NewEvents): void }) {
    this.#io = io
    this.#settling = settling
    this.#listener = listener
  }

  start(): void {
    this.#index = new ArchiveIndex(this.#io)
  }

  /** The short way: what is new in sessions whose readers wait at the end. Throws when it could not be written. */
  takeKnown(store: WatchedStore, path: string): Left {
    // Before it is read: what is written while that goes on is news.
    store.noteTaken(path)
    return this.#takeGrowing(store, path) ? 'nothing' : this.#takeFollowed(store, path)
  }

  /** All that is new in the source. False when something was not readable just now; throws when it could not be written. */
  take(store: WatchedStore, path: string): boolean {
    store.noteTaken(path)
    const key = sourceKey(store, path)
    const since = store.agent.rows?.added(path)?.until
    const { heads = new Map(), recent = [] } = this.#followed.get(key) ?? {}
    if (since !== undefined) this.#followed.set(key, { since, heads, recent })
    return this.#takeHeads(store, path)
  }

  /** The next time costs only what is new. */
  isFollowing(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    return this.#growing.has(key) || (this.#followed.get(key)?.heads.size ?? 0) > 0
  }

  noteSettled(agent: Agent, head: SessionHead): void {
    this.#revisions.set(sessionKey(agent, head), head.revision)
  }

  close(): void {
    for (const live of this.#live.values()) live.close()
    this.#live.clear()
    this.#growing.clear()
    this.#followed.clear()
  }

  /** The file has grown, and its reader waits at the place. False when that is not so. */
  #takeGrowing(store: WatchedStore, path: string): boolean {
    const known = this.#growing.get(sourceKey(store, path))
    if (!known || !this.#live.get(known.key)?.isGrowing) return false
    this.#take(this.#liveOf(store.agent, known.head), known.head, store, path)
    return true
  }

  /** Asks the sessions that have new rows, and those that had some lately. */
  #takeFollowed(store: WatchedStore, path: string): Left {
    const { agent } = store
    const followed = this.#followed.get(sourceKey(store, path))
    if (!followed || followed.heads.size === 0) return 'all'
    const added = agent.rows?.added(path, followed.since)
    if (!added) return 'all'
    let left: Left = 'rest'
    for (const id of new Set([...added.sessions, ...followed.recent])) {
      const head = followed.heads.get(id)
      const taken = head && this.#takeMore(head, followed, store, path)
      if (taken ? !taken.isWhole : added.sessions.includes(id)) left = 'all'
    }
    followed.since = added.until
    return left
  }

  /** Undefined when nobody reads on in it any more. */
  #takeMore(head: SessionHead, followed: Followed, store: WatchedStore, path: string): Taken | undefined {
    const { agent } = store
    if (!this.#live.get(sessionKey(agent, head))?.isFollowed) return undefined
    const taken = this.#liveOf(agent, head).take(head, 'young')
    const { added, problems } = taken
    if (added > 0) {
      noteNews(followed, head)
      this.#listener.onArrival({ agent, head, added, problems })
      this.#settling.expect(store, path, head)
    }
    return taken
  }

  /** False when something was not readable just now. */
  #takeHeads(store: WatchedStore, path: string): boolean {
    const { agent } = store
    const source = store.source(path)
    if (!source) return true
    let isWhole = true
    for (const head of agent.heads(source, readContext(this.#io))) {
      if (isProblem(head)) isWhole &&= !isTransient(head)
      else if (this.#isNews(agent, head)) {
        // A session is kept by its project. One that does not say yet where it is gets a moment to do so.
        if (head.cwd === null && !this.#isArchived(agent, head)) this.#settling.expect(store, path, head)
        else isWhole = this.#take(this.#liveOf(agent, head), head, store, path) && isWhole
      }
    }
    return isWhole
  }

  #isNews(agent: Agent, head: SessionHead): boolean {
    const key = sessionKey(agent, head)
    const known = this.#revisions.has(key) ? this.#revisions.get(key) : this.#index?.get(agent.id, head.id)?.revision
    return known !== head.revision
  }

  #isArchived(agent: Agent, head: SessionHead): boolean {
    return this.#revisions.has(sessionKey(agent, head)) || this.#index?.get(agent.id, head.id) !== undefined
  }

  #liveOf(agent: Agent, head: SessionHead): LiveSession {
    const key = sessionKey(agent, head)
    const live = this.#live.get(key) ?? new LiveSession(agent, this.#index!.logOf(agent.id, head).path, this.#io)
    this.#live.delete(key)
    this.#live.set(key, live)
    const [oldest] = this.#live
    if (oldest && this.#live.size > LIVE) {
      oldest[1].close()
      this.#live.delete(oldest[0])
    }
    return live
  }

  #take(live: LiveSession, head: SessionHead, store: WatchedStore, path: string): boolean {
    const { agent } = live
    const { added, problems, isWhole } = live.take(head)
    if (!this.#index!.get(agent.id, head.id)) this.#noteLog(agent, head, added)
    const key = sessionKey(agent, head)
    this.#revisions.set(key, isWhole ? head.revision : null)
    if (live.isGrowing) this.#growing.set(sourceKey(store, path), { key, head })
    else this.#growing.delete(sourceKey(store, path))
    const followed = this.#followed.get(sourceKey(store, path))
    if (followed && live.isFollowed) noteNews(followed, head)
    if (added > 0) this.#listener.onArrival({ agent, head, added, problems })
    this.#settling.expect(store, path, head)
    return isWhole
  }

  /** Until it is settled, so that whoever writes to it next finds its log, whatever folder it is in by then. */
  #noteLog(agent: Agent, head: SessionHead, events: number): void {
    const { project } = this.#index!.logOf(agent.id, head)
    this.#index!.put(entryOf(agent, head, { project, events, revision: null, copied: null }, this.#io))
    this.#index!.save()
  }
}

function noteNews(followed: Followed, head: SessionHead): void {
  const { native_id } = head
  followed.heads.set(native_id, head)
  followed.recent = [native_id, ...followed.recent.filter((id) => id !== native_id)].slice(0, RECENT)
}

export function sourceKey(store: WatchedStore, path: string): string {
  return `${store.agent.id} ${path}`
}

/** An agent and its successor may share an id. */
function sessionKey(agent: Agent, head: SessionHead): string {
  return `${agent.id}/${head.id}`
}
