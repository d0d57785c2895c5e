import type { TokenUsage } from '../events/event.ts'
import type { Io } from '../platform/io.ts'

/** How much of a store Ion understood. The user sees it in `ion doctor`. */
export interface Coverage {
  /** Records that became events. */
  known: number
  /** Records that are internal to the agent: known and skipped. */
  skipped: number
  /** Records kept unchanged as `native` events because Ion does not know them. */
  native: number
  /** Lines or rows that could not be parsed at all. */
  bad: number
}

/**
 * A file that still grows. Its reader yields complete lines only, and `END_OF_AVAILABLE` instead of ending: it keeps its
 * state and looks for more when it is asked again.
 */
export interface Follow {
  readonly path: string
  /** How far the file was read. */
  offset: number
}

/** A record with token counts that are not part of any `token_usage`, and why. */
export interface UncountedUsage {
  /** The key of the record, as in the ids of events. */
  readonly key: string
  readonly time: unknown
  readonly usage: TokenUsage
  /**
   * `repeated`: the same call again, without anything new. `sum`: the total of calls that are counted one by one.
   * `not_a_call`: no model was asked, such as an answer that the program wrote itself.
   */
  readonly reason: 'repeated' | 'sum' | 'not_a_call'
}

/** The context of one read: its environment, and counters. */
export interface ReadContext {
  readonly io: Io
  readonly coverage: Coverage
  /** Bytes read from files, so that a test can check that listing does not read bodies. */
  bytes: number
  /** The last small file: listing, counting and the append guard read the same few kilobytes. */
  smallFile: { readonly path: string; readonly bytes: Buffer } | undefined
  /**
   * Called with each folder that was listed and its mtime, and with 0 for what was looked for and does not exist; also with a
   * file that decides which sources there are. While all of these stay the same, so does the list of sources.
   */
  readonly onFolder?: (path: string, mtimeMs: number) => void
  /**
   * Whether nothing was added to or removed from a folder, or from any below it, since it was listed for the index. An adapter
   * may then leave out its sources, if no other source depends on them.
   */
  readonly isUnchanged?: (folder: string) => boolean
  /**
   * Also give versions of events that a later one has replaced with another text, each in its place and with `revises`.
   * Only Ion's archived logs have them.
   */
  readonly everyVersion?: boolean
  /** Read this file only from a line on, to see the end of a large one. What the reader knows from before is missing. */
  readonly startAt?: { readonly path: string; readonly offset: number }
  /** Called with each record whose token counts are left out, for `ion usage explain`. */
  readonly onUncounted?: (record: UncountedUsage) => void
  /** Set to follow a session while the agent writes it. */
  readonly follow?: Follow
}

export function readContext(io: Io, listing: Pick<ReadContext, 'onFolder' | 'isUnchanged'> = {}): ReadContext {
  return {
    io,
    coverage: { known: 0, skipped: 0, native: 0, bad: 0 },
    bytes: 0,
    smallFile: undefined,
    ...listing,
  }
}

/** For what every session of a list needs: `find` is called once per ReadContext. */
export function oncePerRead<T>(find: (reading: ReadContext) => T): (reading: ReadContext) => T {
  const known = new WeakMap<ReadContext, { readonly found: T }>()
  return (reading) => {
    const { found } = known.get(reading) ?? { found: find(reading) }
    known.set(reading, { found })
    return found
  }
}
