import type { Item } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { Scope } from '../native/record-follower.ts'

/** For sessions that are rows of a database: what is new in them, without reading all of it. */
export interface RowStore {
  /**
   * Sessions (native ids) of the database that rows were added to since, with the number to ask with the next time; none
   * without `since`. Quick however large the database is; what was changed in place is not told. Undefined when it cannot
   * be read now, and for what is no database.
   */
  added(path: string, since?: number): AddedRows | undefined
  /** A reader that stays with the session; undefined for one that is not rows. */
  follow(head: SessionHead): RowFollower | undefined
}

export interface AddedRows {
  readonly until: number
  readonly sessions: readonly string[]
}

export interface RowFollower {
  /**
   * The events that are new or changed since it was asked last, the first time all of them. They agree with `read`, but
   * for their order and `seq`, and some may be told again.
   */
  more(head: SessionHead, reading: ReadContext, scope: Scope): Iterable<Item>
  /** The ids of all events, in the order of `read`. Undefined when the last `more` failed or was not walked to its end. */
  order(): readonly string[] | undefined
}
