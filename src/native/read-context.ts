import type { Io } from '../platform/io.ts'

/** How much of a store Ion understood. The user sees it in `ion doctor`. */
export interface Coverage {
  /** Records that became events. */
  known: number
  /** Records that are the agent's bookkeeping, known and set aside. */
  skipped: number
  /** Records kept whole as `native` events because Ion does not know them. */
  native: number
  /** Lines or rows that could not be parsed at all. */
  bad: number
}

/**
 * A file that still grows. Its reader gives whole lines only, and at the end `PAUSE` instead of ending: it keeps all that
 * it remembers, and looks for more when it is asked again.
 */
export interface Follow {
  readonly path: string
  /** Up to here the file was read. */
  offset: number
}

/** One act of reading: the world it reads from, and what it counted on the way. */
export interface ReadContext {
  readonly io: Io
  readonly coverage: Coverage
  /** Bytes taken from files, so that a test can see that listing does not read bodies. */
  bytes: number
  /** The last small file, whole: listing, counting and guarding look at the same few kilobytes. */
  smallFile: { readonly path: string; readonly bytes: Buffer } | undefined
  /** Called with each folder whose entries were listed; the catalogue notices new files by it. */
  readonly onFolder?: (path: string, mtimeMs: number) => void
  /** For whoever stays with a session while the agent writes it. */
  readonly follow?: Follow
}

export function readContext(io: Io, onFolder?: (path: string, mtimeMs: number) => void): ReadContext {
  return {
    io,
    coverage: { known: 0, skipped: 0, native: 0, bad: 0 },
    bytes: 0,
    smallFile: undefined,
    ...(onFolder ? { onFolder } : {}),
  }
}
