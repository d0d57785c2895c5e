import type { Item } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { Scope } from '../native/record-follower.ts'
import type { AddedRows } from '../native/session-rows.ts'

/** For sessions that are rows of a database: what is new, without reading all of it. */
export interface RowStore {
  /**
   * Sessions (native ids) of the database with rows added since, and the number to pass next time; none without `since`.
   * Fast however large the database is; rows changed in place are not reported. Undefined when it cannot be read now, and for
   * anything that is not a database.
   */
  added(path: string, since?: number): AddedRows | undefined
  /** A reader that follows the session; undefined for one that is not stored in rows. */
  follow(head: SessionHead): RowFollower | undefined
}

export interface RowFollower {
  /**
   * The events that are new or changed since it was asked last, the first time all of them. They agree with `read`, but
   * for their order and `seq`, and some may be reported again.
   */
  more(head: SessionHead, reading: ReadContext, scope: Scope): Iterable<Item>
  /** The ids of all events, in the order of `read`. Undefined when the last `more` failed or was not walked to its end. */
  order(): readonly string[] | undefined
}
