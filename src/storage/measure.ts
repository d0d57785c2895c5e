import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileStamp } from '../native/walk.ts'
import { isMissing } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'

/** The size of what is below some paths. */
export interface Extent {
  /** Sizes of the files, as `ls` shows them, so that they compare with the sizes of sessions. */
  readonly bytes: number
  readonly files: number
  /** Folders and files that could not be read. */
  readonly unreadable: number
  /** False when time ran out; the figures are then minimums. */
  readonly complete: boolean
}

/** Guards against folders with very many files on a slow disk. */
const TIMEOUT_MS = 5000

/** Files of a SQLite database beside it. */
const SIDECARS = ['-wal', '-shm', '-journal']

/**
 * Measures everything below `places`, plus `files` that may be outside of them. Opens no file. Each inode counts once,
 * however many paths lead to it. Links are not followed, unless a place itself is one, as when a user has moved an agent's
 * folder to another disk. A missing place counts as empty.
 */
export function measure(
  places: readonly string[],
  files: Iterable<FileStamp>,
  io: Io,
  onFile: (files: number) => void = () => {},
): Extent {
  const end = io.now().getTime() + TIMEOUT_MS
  const late = (): boolean => io.now().getTime() > end
  const seen = new Set<string>()
  const sum = { bytes: 0, files: 0, unreadable: 0 }

  const isNew = ({ dev, ino }: { dev: number; ino: number }): boolean => {
    const key = `${dev}:${ino}`
    return seen.has(key) ? false : Boolean(seen.add(key))
  }
  const count = (size: number): void => {
    sum.bytes += size
    onFile(++sum.files)
  }
  const tryRead = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      // A file that vanishes meanwhile is not an error.
      if (!isMissing(error)) sum.unreadable++
      return undefined
    }
  }

  const folders: string[] = []
  /** Returns whether it is a file. */
  const take = (path: string, isFollowed = false): boolean => {
    const stat = tryRead(() => (isFollowed ? statSync(path) : lstatSync(path)))
    if (!stat || !(stat.isFile() || stat.isDirectory()) || !isNew(stat)) return false
    if (stat.isFile()) count(stat.size)
    else folders.push(path)
    return stat.isFile()
  }

  for (const place of places) {
    if (take(place, true)) for (const ending of SIDECARS) take(place + ending)
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of tryRead(() => readdirSync(folder!)) ?? []) {
      if (late()) return { ...sum, complete: false }
      take(join(folder, name))
    }
  }
  for (const file of files) {
    if (late()) return { ...sum, complete: false }
    if (isNew(file)) count(file.size)
  }
  return { ...sum, complete: true }
}
