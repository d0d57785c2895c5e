import type { Agent } from '../../agents/agent.ts'
import type { RowFollower } from '../../agents/row-store.ts'
import { type Item, isProblem, isTransient } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { END_OF_AVAILABLE } from '../../native/json-lines.ts'
import { type Follow, readContext } from '../../native/read-context.ts'
import type { Scope } from '../../native/record-follower.ts'
import { type FileStamp, stampOf } from '../../native/walk.ts'
import { readAt } from '../../native/window.ts'
import type { Io } from '../../platform/io.ts'
import { ArchiveLog } from '../archive-log.ts'

export interface Taken {
  readonly added: number
  /** Records that could not be read. */
  readonly problems: number
  /** False when something could not be read that may be readable another time. */
  readonly isWhole: boolean
}

/**
 * The archived log of a session that is being written, kept open with all that is known of it, so that a new event costs
 * what it is and not what the session is. The caller has the archive's lease each time, and gives it back in between:
 * what another process has added meanwhile is taken note of.
 */
export class LiveSession {
  readonly agent: Agent
  readonly #path: string
  readonly #io: Io
  #log: ArchiveLog | undefined
  #growing: GrowingFile | undefined
  #rows: FollowedRows | undefined

  /** `path` is that of its log. */
  constructor(agent: Agent, path: string, io: Io) {
    this.agent = agent
    this.#path = path
    this.#io = io
  }

  /** Its file is read on from where it ended: the head need not be made anew for each change. */
  get isGrowing(): boolean {
    return this.#growing?.isSame() ?? false
  }

  /** It is rows of a database, and the next time only what is new is read. */
  get isFollowed(): boolean {
    return this.#rows?.isSame() ?? false
  }

  /** Appends what is new; it is on the disk when this returns. */
  take(head: SessionHead, attention: Scope = 'all'): Taken {
    try {
      const log = this.#openLog()
      const before = log.added
      let problems = 0
      let isWhole = true
      for (const item of this.#items(head, attention)) {
        if (!isProblem(item)) log.add(item.event)
        else {
          problems++
          if (isTransient(item)) isWhole = false
        }
      }
      const added = log.added - before
      if (added > 0) log.save()
      if (!isWhole) this.#stopGrowing()
      return { added, problems, isWhole }
    } catch (error) {
      // What was read may not have been written: everything is read again.
      this.close()
      throw error
    }
  }

  close(): void {
    this.#stopGrowing()
    this.#rows = undefined
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

  #items(head: SessionHead, attention: Scope): Iterable<Item> {
    const { agent } = this
    if (this.#rows?.path !== head.path || !this.#rows.isSame()) this.#rows = followRows(agent, head)
    if (this.#rows) return this.#rows.follower.more(head, readContext(this.#io), attention)
    // What can be counted line by line is one file that only grows.
    if (!agent.scanner || agent.scanner.applies?.(head) === false) return agent.read(head, readContext(this.#io))
    if (this.#growing?.path !== head.path || !this.#growing.isSame()) {
      this.#stopGrowing()
      this.#growing = new GrowingFile(agent, head, this.#io)
    }
    return this.#growing.more()
  }

  #stopGrowing(): void {
    this.#growing?.close()
    this.#growing = undefined
  }
}

interface FollowedRows {
  readonly path: string
  readonly follower: RowFollower
  /** The database was not replaced by another. */
  isSame(): boolean
}

function followRows(agent: Agent, head: SessionHead): FollowedRows | undefined {
  const follower = agent.rows?.follow(head)
  if (!follower) return undefined
  const { path } = head
  const before = stampOf(path)
  const isSame = (): boolean => {
    const now = stampOf(path)
    return now !== undefined && now.ino === before?.ino && now.dev === before.dev
  }
  return { path, follower, isSame }
}

/** So much before the end of what was read must be as it was. */
const GUARD = 1024

/** A file of lines with a reader that waits at its end. */
class GrowingFile {
  readonly path: string
  readonly #io: Io
  readonly #stamp: FileStamp | undefined
  readonly #follow: Follow
  readonly #items: Iterator<Item>
  #guard: Buffer | undefined

  constructor(agent: Agent, head: SessionHead, io: Io) {
    this.path = head.path
    this.#io = io
    this.#stamp = stampOf(head.path)
    this.#follow = { path: head.path, offset: 0 }
    this.#items = agent.read(head, { ...readContext(io), follow: this.#follow })[Symbol.iterator]()
  }

  /** What was read of it still stands there: it was not replaced, cut or written anew. */
  isSame(): boolean {
    const now = stampOf(this.path)
    if (!now || !this.#guard) return false
    if (now.ino !== this.#stamp?.ino || now.dev !== this.#stamp.dev || now.size < this.#follow.offset) return false
    return this.#tail()?.equals(this.#guard) ?? false
  }

  /** The events that have come since. */
  *more(): Generator<Item> {
    for (;;) {
      const { value, done } = this.#items.next()
      if (done) {
        // A file that could not be read ends instead of waiting.
        this.#guard = undefined
        return
      }
      if (value === END_OF_AVAILABLE) break
      yield value
    }
    this.#guard = this.#tail()
  }

  close(): void {
    this.#items.return?.()
  }

  /** Undefined when the file is gone. */
  #tail(): Buffer | undefined {
    const { offset } = this.#follow
    const length = Math.min(GUARD, offset)
    try {
      return readAt(this.path, offset - length, length, readContext(this.#io))
    } catch {
      return undefined
    }
  }
}
