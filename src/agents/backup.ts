import { relative, sep } from 'node:path'
import type { Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { RowsPart } from '../native/rows.ts'
import type { Io } from '../platform/io.ts'

/** A file that belongs to one session. */
export interface FilePart {
  readonly kind: 'file'
  /** Which of the agent's roots it is in. */
  readonly root: string
  /** Below the root, with forward slashes. */
  readonly path: string
  /**
   * How to copy it while the agent writes: `lines` is a growing log, of which complete lines are copied; `whole` is replaced
   * at once by its writer; `database` is SQLite, copied together with its WAL.
   */
  readonly form: 'lines' | 'whole' | 'database'
  /** Several sessions need it: restored where it is missing, never compared, replaced or removed. */
  readonly shared?: true
  /** Other sessions are in the same file: it is restored and compared like any other, but never removed for one of them. */
  readonly hasOthers?: boolean
}

export type BackupPart = FilePart | RowsPart

/**
 * What belongs to one session in an agent's store, so that it can be copied, removed and restored, and the agent's own
 * resume works afterwards. What the agent rebuilds automatically (side indexes, caches) is left to it.
 */
export interface BackupSpec {
  /** The folders that contain the parts, by names that are the same on every machine. */
  roots(io: Io): Readonly<Record<string, string>>
  /**
   * Paths below each root that a part may have. A copy may come from another machine: nothing else is ever written, and
   * settings and credentials are never copied.
   */
  readonly files: Readonly<Record<string, readonly RegExp[]>>
  /**
   * Folders directly in a root that people keep in another place by a link. Below them, and for everything else, a link that
   * leads out is not followed, neither to copy nor to restore.
   */
  readonly mayBeLinks?: readonly string[]
  /** Tables in which a session may have rows; tables that others refer to come first. */
  readonly tables?: readonly string[]
  /** The parts of a session, as it is in the store now. */
  parts(head: SessionHead, reading: ReadContext): Iterable<BackupPart | Problem>
  /** The path of a part on this machine, for an agent that names a project's folder itself. Called on every restore. */
  place?(path: string, cwd: string, io: Io): string
  /**
   * For an agent that numbers its sessions, so that those of two homes have the same ids: the columns with ids of sessions.
   * A session whose id is another session's is restored under a new one, which may be any text.
   */
  readonly idColumns?: Readonly<Record<string, readonly string[]>>
  /** What has to change when folders have moved: another home, another user, another machine. */
  readonly rewrite?: PathRewrite
}

export interface PathRewrite {
  /** The new path of a part that is named after the project's path. Called before `place`, only when the folder moved. */
  path?(path: string, cwd: { readonly from: string; readonly to: string }): string
  /** JSON fields, in lines or in a file, whose value is a path, a file URL or a list of them. */
  readonly fields?: readonly string[]
  /** For small files that are not JSON: the new text. */
  text?(path: string, text: string, move: (path: string) => string): string
  /** Columns whose value is a path. */
  readonly columns?: Readonly<Record<string, readonly string[]>>
}

/** A path below a root, as a part names it. */
export function pathBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join('/')
}
