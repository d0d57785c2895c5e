import type { Agent } from '../agents/agent.ts'
import type { RowFollower } from '../agents/row-store.ts'
import { END_OF_AVAILABLE, type Item, isProblem, isTransient, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { appendGuard } from '../native/append-guard.ts'
import { type Follow, readContext } from '../native/read-context.ts'
import type { Scope } from '../native/record-follower.ts'
import { type FileStamp, stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'

/** What one read of a session gives. */
export interface SessionUpdate {
  /**
   * How the items relate to those of earlier reads:
   * - `all`: the session from its beginning, in order; earlier items are void.
   * - `added`: what follows the earlier items.
   * - `changed`: new and changed events, some of them given before. `order()` then lists all that are valid.
   */
  readonly kind: 'all' | 'added' | 'changed'
  /** Must be walked to the end before the next read. */
  readonly items: Iterable<SessionItem>
}

/**
 * What the caller needs. Some adapters read other files after the lines of a session's main file, such as token counts. A
 * follower that waits at the end of the lines never gets there, which is fine for `conversation` only.
 */
export type Coverage = 'conversation' | 'everything'

/**
 * Reads a session again and again while its agent writes it, each time as little as possible:
 * - a file of lines is continued where the last read ended, as long as it only grows;
 * - rows of a database are read where they are new or changed (`agent.rows`);
 * - any other session is read whole.
 */
export class SessionFollower {
  readonly #agent: Agent
  readonly #io: Io
  readonly #coverage: Coverage
  readonly #from: number
  #followed: FollowedLines | FollowedRows | undefined

  /** `from`: of a file of lines, only what is from this line on; see ReadContext.startAt. */
  constructor(agent: Agent, io: Io, coverage: Coverage, from = 0) {
    this.#agent = agent
    this.#io = io
    this.#coverage = coverage
    this.#from = from
  }

  /** What the next read continues. Undefined when it will read the whole session. */
  get continues(): 'lines' | 'rows' | undefined {
    return this.#followed?.isIntact() ? this.#followed.kind : undefined
  }

  /** `scope` matters for rows only: whether changes far from the end are looked for. */
  read(head: SessionHead, scope: Scope = 'all'): SessionUpdate {
    const continues = this.#followed?.path === head.path ? this.continues : undefined
    if (!continues) {
      this.close()
      this.#followed = this.#follow(head)
    }
    const followed = this.#followed
    if (!followed) return { kind: 'all', items: sessionItems(this.#agent.read(head, readContext(this.#io))) }
    if (followed.kind === 'rows') return { kind: 'changed', items: followed.read(head, scope) }
    return { kind: continues ? 'added' : 'all', items: followed.read() }
  }

  /** After an update of kind `changed`: the ids of all events, in the order of reading. Undefined when it was cut short. */
  order(): readonly string[] | undefined {
    return this.#followed?.kind === 'rows' ? this.#followed.order() : undefined
  }

  close(): void {
    this.#followed?.close()
    this.#followed = undefined
  }

  #follow(head: SessionHead): FollowedLines | FollowedRows | undefined {
    const rows = this.#agent.rows?.follow(head)
    if (rows) return new FollowedRows(rows, head.path, this.#io)
    // A session that can be scanned line by line is one file that only grows. Any other may be more than its lines.
    const { scanner } = this.#agent
    const isOneFile = scanner !== undefined && scanner.applies?.(head) !== false
    return isOneFile || this.#coverage === 'conversation'
      ? new FollowedLines(this.#agent, head, this.#io, this.#from)
      : undefined
  }
}

/** A file of lines, with a reader that waits at its end. An adapter that reads no lines ends instead of waiting. */
class FollowedLines {
  readonly kind = 'lines'
  readonly path: string
  readonly #io: Io
  readonly #stamp: FileStamp | undefined
  readonly #follow: Follow
  readonly #items: Iterator<Item>
  /** Undefined unless the reader waits for more. */
  #guard: string | undefined

  constructor(agent: Agent, head: SessionHead, io: Io, from: number) {
    const { path } = head
    this.path = path
    this.#io = io
    this.#stamp = stampOf(path)
    this.#follow = { path, offset: from }
    const startAt = from === 0 ? {} : { startAt: { path, offset: from } }
    this.#items = agent.read(head, { ...readContext(io), follow: this.#follow, ...startAt })[Symbol.iterator]()
  }

  /** What was read is still in the file: it was not replaced, truncated or rewritten. */
  isIntact(): boolean {
    const now = stampOf(this.path)
    if (!now || this.#guard === undefined || !isSameFile(now, this.#stamp)) return false
    return now.size >= this.#follow.offset && this.#currentGuard() === this.#guard
  }

  *read(): Generator<SessionItem> {
    this.#guard = undefined
    let isComplete = true
    for (;;) {
      const { value, done } = this.#items.next()
      if (done) return
      if (value === END_OF_AVAILABLE) break
      if (isProblem(value) && isTransient(value)) isComplete = false
      yield value
    }
    // What could not be read this time is missing from now on, so the next read starts over.
    if (isComplete) this.#guard = this.#currentGuard()
  }

  close(): void {
    this.#items.return?.()
  }

  /** Undefined when the file is gone. */
  #currentGuard(): string | undefined {
    try {
      return appendGuard(this.path, this.#follow.offset, readContext(this.#io))
    } catch {
      return undefined
    }
  }
}

/** Rows of a database. What is missing after a failed read is found by the next one. */
class FollowedRows {
  readonly kind = 'rows'
  readonly path: string
  readonly #io: Io
  readonly #rows: RowFollower
  readonly #stamp: FileStamp | undefined
  #items: Generator<SessionItem> | undefined

  constructor(rows: RowFollower, path: string, io: Io) {
    this.#rows = rows
    this.path = path
    this.#io = io
    this.#stamp = stampOf(path)
  }

  /** The database was not replaced by another. */
  isIntact(): boolean {
    const now = stampOf(this.path)
    return now !== undefined && isSameFile(now, this.#stamp)
  }

  read(head: SessionHead, scope: Scope): Iterable<SessionItem> {
    this.#items = sessionItems(this.#rows.more(head, readContext(this.#io), scope))
    return this.#items
  }

  order(): readonly string[] | undefined {
    return this.#rows.order()
  }

  /** Ends a read that is under way, which has the database open. */
  close(): void {
    this.#items?.return(undefined)
  }
}

function* sessionItems(items: Iterable<Item>): Generator<SessionItem> {
  for (const item of items) if (item !== END_OF_AVAILABLE) yield item
}

function isSameFile(one: FileStamp, other: FileStamp | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev
}
