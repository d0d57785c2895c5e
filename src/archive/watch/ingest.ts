import type { Agent } from '../../agents/agent.ts'
import { isProblem, isTransient } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { SessionFollower } from '../../live/session-follower.ts'
import { readContext } from '../../native/read-context.ts'
import type { Scope } from '../../native/record-follower.ts'
import type { Io } from '../../platform/io.ts'
import { whyNotInStore } from '../../vault/part-content.ts'
import { ArchiveIndex, entryOf } from '../archive-index.ts'
import { ArchiveLog, type ReadResult } from '../archive-log.ts'
import type { QuietSessions } from './quiet-sessions.ts'
import type { WatchedStore } from './watched-store.ts'

/** New events of a session, which are on the disk. */
export interface NewEvents {
  readonly agent: Agent
  readonly head: SessionHead
  readonly added: number
  readonly problems: number
}

/** How many sessions are kept open. */
const MAX_OPEN = 64

/** How many sessions of a database are asked at each change. */
const MAX_RECENT = 4

/** The sessions of a database that are being followed. */
interface FollowedDatabase {
  /** Rows after this are new. */
  since: number
  /** By native id. */
  readonly heads: Map<string, SessionHead>
  /** Those that last had new events, latest first: rows changed in place are most likely theirs. */
  recent: readonly string[]
}

/**
 * What remains to be done in a source after `ingestTail`: nothing; a listing of its sessions, to find other changes, which
 * can wait; or everything.
 */
export type Remaining = 'nothing' | 'listing' | 'everything'

/** Archives what is new in a source. The caller holds the archive's lease. */
export class Ingester {
  readonly #io: Io
  readonly #quiet: QuietSessions
  readonly #listener: { onArrival(arrival: NewEvents): void }
  /** By agent and session, the one written to last at the end. */
  readonly #logs = new Map<string, GrowingLog>()
  /** Files that are continued, by source: their adapter need not be asked for heads. */
  readonly #files = new Map<string, { readonly key: string; readonly head: SessionHead }>()
  /** By source. */
  readonly #databases = new Map<string, FollowedDatabase>()
  /** Of each session as it was last read here. */
  readonly #revisions = new Map<string, string | null>()
  /** As the archive was at the start, and the sessions that were added since. */
  #index: ArchiveIndex | undefined

  constructor(io: Io, quiet: QuietSessions, listener: { onArrival(arrival: NewEvents): void }) {
    this.#io = io
    this.#quiet = quiet
    this.#listener = listener
  }

  start(): void {
    this.#index = new ArchiveIndex(this.#io)
  }

  /** Ingests what is new in sessions that are being followed. Throws when it could not be written. */
  ingestTail(store: WatchedStore, path: string): Remaining {
    store.noteSeen(path)
    return this.#ingestFile(store, path) ? 'nothing' : this.#ingestRows(store, path)
  }

  /** Ingests all that is new in the source. False when something could not be read now; throws when it could not be written. */
  ingest(store: WatchedStore, path: string): boolean {
    store.noteSeen(path)
    const key = sourceKey(store, path)
    const since = store.agent.rows?.added(path)?.until
    const { heads = new Map(), recent = [] } = this.#databases.get(key) ?? {}
    if (since !== undefined) this.#databases.set(key, { since, heads, recent })
    return this.#ingestHeads(store, path)
  }

  /** The next time costs only what is new. */
  isFollowing(store: WatchedStore, path: string): boolean {
    const key = sourceKey(store, path)
    return this.#files.has(key) || (this.#databases.get(key)?.heads.size ?? 0) > 0
  }

  /** The session was captured in this state by somebody else. */
  noteCaptured(agent: Agent, head: SessionHead): void {
    this.#revisions.set(sessionKey(agent, head), head.revision)
  }

  close(): void {
    for (const log of this.#logs.values()) log.close()
    this.#logs.clear()
    this.#files.clear()
    this.#databases.clear()
  }

  /** False when the source is not a file that is being continued. */
  #ingestFile(store: WatchedStore, path: string): boolean {
    const known = this.#files.get(sourceKey(store, path))
    if (!known || this.#logs.get(known.key)?.continues !== 'lines') return false
    this.#ingestSession(known.head, store, path)
    return true
  }

  /** Reads the sessions that have new rows, and those that had some lately. */
  #ingestRows(store: WatchedStore, path: string): Remaining {
    const database = this.#databases.get(sourceKey(store, path))
    if (!database || database.heads.size === 0) return 'everything'
    const added = store.agent.rows?.added(path, database.since)
    if (!added) return 'everything'
    let remaining: Remaining = 'listing'
    for (const id of new Set([...added.sessions, ...database.recent])) {
      const head = database.heads.get(id)
      const appended = head && this.#ingestNewRows(head, database, store, path)
      if (appended ? !appended.isComplete : added.sessions.includes(id)) remaining = 'everything'
    }
    database.since = added.until
    return remaining
  }

  /** Undefined when the session is no longer being followed. */
  #ingestNewRows(
    head: SessionHead,
    database: FollowedDatabase,
    store: WatchedStore,
    path: string,
  ): Appended | undefined {
    const { agent } = store
    if (this.#logs.get(sessionKey(agent, head))?.continues !== 'rows') return undefined
    const appended = this.#logOf(agent, head).append(head, 'tail')
    const { added, problems } = appended
    if (added > 0) {
      markRecent(database, head)
      this.#listener.onArrival({ agent, head, added, problems })
      this.#quiet.expect(store, path, head)
    }
    return appended
  }

  /** False when something could not be read now. */
  #ingestHeads(store: WatchedStore, path: string): boolean {
    const { agent } = store
    const source = store.source(path)
    if (!source) return true
    let isComplete = true
    for (const head of agent.heads(source, readContext(this.#io))) {
      if (isProblem(head)) isComplete &&= !isTransient(head)
      else if (this.#isChanged(agent, head)) {
        // A log is stored by project, so a session that has not said yet where it runs gets a moment to do so.
        if (head.cwd === null && !this.#isArchived(agent, head)) this.#quiet.expect(store, path, head)
        else isComplete = this.#ingestSession(head, store, path) && isComplete
      }
    }
    return isComplete
  }

  #isChanged(agent: Agent, head: SessionHead): boolean {
    const key = sessionKey(agent, head)
    const known = this.#revisions.has(key) ? this.#revisions.get(key) : this.#index?.get(agent.id, head.id)?.revision
    return known !== head.revision
  }

  #isArchived(agent: Agent, head: SessionHead): boolean {
    return this.#revisions.has(sessionKey(agent, head)) || this.#index?.get(agent.id, head.id) !== undefined
  }

  #logOf(agent: Agent, head: SessionHead): GrowingLog {
    const key = sessionKey(agent, head)
    const log = this.#logs.get(key) ?? new GrowingLog(agent, this.#index!.logOf(agent.id, head).path, this.#io)
    this.#logs.delete(key)
    this.#logs.set(key, log)
    const [oldest] = this.#logs
    if (oldest && this.#logs.size > MAX_OPEN) {
      oldest[1].close()
      this.#logs.delete(oldest[0])
    }
    return log
  }

  #ingestSession(head: SessionHead, store: WatchedStore, path: string): boolean {
    const { agent } = store
    // A link out of the store: `ion capture` reports it.
    if (whyNotInStore(head, agent, this.#io) !== undefined) return true
    const log = this.#logOf(agent, head)
    const { added, problems, isComplete } = log.append(head)
    if (!this.#index!.get(agent.id, head.id)) this.#indexLog(agent, head, added)
    const key = sessionKey(agent, head)
    this.#revisions.set(key, isComplete ? head.revision : null)
    const continues = log.continues
    if (continues === 'lines') this.#files.set(sourceKey(store, path), { key, head })
    else this.#files.delete(sourceKey(store, path))
    const database = this.#databases.get(sourceKey(store, path))
    if (database && continues === 'rows') markRecent(database, head)
    if (added > 0) this.#listener.onArrival({ agent, head, added, problems })
    this.#quiet.expect(store, path, head)
    return isComplete
  }

  /** Without waiting until the session is quiet, so that the next writer finds its log even if the session's folder changes. */
  #indexLog(agent: Agent, head: SessionHead, events: number): void {
    const { project } = this.#index!.logOf(agent.id, head)
    this.#index!.put(entryOf(agent.id, head, { project, events, revision: null, copied: null }, this.#io))
    this.#index!.save()
  }
}

function markRecent(database: FollowedDatabase, head: SessionHead): void {
  const { native_id } = head
  database.heads.set(native_id, head)
  database.recent = [native_id, ...database.recent.filter((id) => id !== native_id)].slice(0, MAX_RECENT)
}

export function sourceKey(store: WatchedStore, path: string): string {
  return `${store.agent.id} ${path}`
}

/** An agent and its successor may share an id. */
function sessionKey(agent: Agent, head: SessionHead): string {
  return `${agent.id}/${head.id}`
}

interface Appended extends ReadResult {
  readonly added: number
}

/**
 * The archived log of a session that is being written, kept open with all that is known about it, so that a new event costs
 * its own size and not the session's. The caller holds the archive's lease for each `append` and releases it in between:
 * what other processes append meanwhile is picked up.
 */
export class GrowingLog {
  readonly #path: string
  readonly #io: Io
  readonly #follower: SessionFollower
  #log: ArchiveLog | undefined

  /** `path` is that of its log. */
  constructor(agent: Agent, path: string, io: Io) {
    this.#path = path
    this.#io = io
    this.#follower = new SessionFollower(agent, io, 'everything')
  }

  get continues(): SessionFollower['continues'] {
    return this.#follower.continues
  }

  /** Appends what is new; it is on the disk when this returns. */
  append(head: SessionHead, scope: Scope = 'all'): Appended {
    try {
      const log = this.#openLog()
      const before = log.added
      const result = log.addAll(this.#follower.read(head, scope).items)
      const added = log.added - before
      if (added > 0) log.save()
      return { added, ...result }
    } catch (error) {
      // Some of what was read may not have been written, so the next time reads everything.
      this.close()
      throw error
    }
  }

  close(): void {
    this.#follower.close()
    this.#log?.close()
    this.#log = undefined
  }

  #openLog(): ArchiveLog {
    const reading = readContext(this.#io)
    if (this.#log?.catchUp(reading)) return this.#log
    this.close()
    this.#log = new ArchiveLog(this.#path, reading)
    return this.#log
  }
}
