import type { FileStamp } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'

/** Modification times have a resolution: two writes within this time may get the same. */
export const MTIME_RESOLUTION_MS = 50

/** Files as they were when they were last read, to tell whether they must be read again. */
export class SeenFiles {
  readonly #io: Io
  #files: readonly FileStamp[] | undefined
  #isCertain = false
  #at = 0

  constructor(io: Io) {
    this.#io = io
  }

  /** Call it before reading, so that whatever is written meanwhile counts as a change. */
  note(files: readonly FileStamp[]): void {
    const isSecondLook =
      this.compare(files) === 'changed' && this.#files !== undefined && sameStamps(this.#files, files)
    const settled = this.#io.now().getTime() - MTIME_RESOLUTION_MS
    this.#isCertain = isSecondLook || files.every(({ mtimeMs }) => mtimeMs < settled)
    this.#files = files
    this.#at = performance.now()
  }

  forget(): void {
    this.#files = undefined
  }

  /** `unsure`: written so shortly before they were noted that another write may have left no trace; ask again later. */
  compare(files: readonly FileStamp[]): 'same' | 'changed' | 'unsure' {
    if (!this.#files || !sameStamps(this.#files, files)) return 'changed'
    if (this.#isCertain) return 'same'
    return performance.now() - this.#at > MTIME_RESOLUTION_MS ? 'changed' : 'unsure'
  }
}

export function sameStamps(before: readonly FileStamp[], now: readonly FileStamp[]): boolean {
  if (before.length !== now.length) return false
  return now.every((file, at) => {
    const { path, dev, ino, size, mtimeMs } = before[at]!
    return file.path === path && file.dev === dev && file.ino === ino && file.size === size && file.mtimeMs === mtimeMs
  })
}
