import type { Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { RowsPart } from '../native/rows.ts'
import type { Io } from '../platform/io.ts'

/** A file that is of one session. */
export interface FilePart {
  readonly kind: 'file'
  /** Which of the agent's roots it is in. */
  readonly root: string
  /** Below the root, with forward slashes. */
  readonly path: string
  /**
   * How a copy is taken while the agent writes: `lines` is a log that grows, of which whole lines are taken; `whole` is
   * replaced at once by whoever writes it; `database` is SQLite, taken together with its WAL.
   */
  readonly form: 'lines' | 'whole' | 'database'
  /** Several sessions need it: put back where it is missing, and never compared, replaced or removed. */
  readonly shared?: true
  /** Other sessions are in the same file: it is put back and compared like any other, and never taken away for one of them. */
  readonly hasOthers?: boolean
}

export type BackupPart = FilePart | RowsPart

/**
 * What of an agent's store is one session's own: so that it can be copied, taken away and put back so that the agent's
 * own resume works. What the agent rebuilds by itself (side indexes, caches) is left to it.
 */
export interface BackupSpec {
  /** The folders that parts are below, by names that are the same on every machine. */
  roots(io: Io): Readonly<Record<string, string>>
  /**
   * Paths below each root that a part may have. A copy may come from another machine: nothing else is ever written, and
   * no settings or credentials are ever taken along.
   */
  readonly files: Readonly<Record<string, readonly RegExp[]>>
  /** Tables that a session may have rows in, those that others refer to first. */
  readonly tables?: readonly string[]
  /** The parts of a session as it is in the store now. */
  parts(head: SessionHead, reading: ReadContext): Iterable<BackupPart | Problem>
  /** The path of a part here, where the agent knows the folder of the session (as it is now) by a name of its own making. */
  place?(path: string, cwd: string, io: Io): string
  /** What has to change when the folders have moved: another home, another user, another machine. */
  readonly rewrite?: PathRewrite
}

export interface PathRewrite {
  /** The path of a part whose name says where the project is. */
  path?(path: string, cwd: { readonly from: string; readonly to: string }): string
  /** Fields of JSON, in lines or in a file, whose value is a path or a file URL (or a list of them). */
  readonly fields?: readonly string[]
  /** A small file that is no JSON, whole. */
  text?(path: string, text: string, move: (path: string) => string): string
  /** Columns whose value is a path. */
  readonly columns?: Readonly<Record<string, readonly string[]>>
}
