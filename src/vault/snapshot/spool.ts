import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder, writeAll } from '../../platform/atomic-file.ts'

/** More than this goes to disk. */
const IN_MEMORY = 8 * 1024 * 1024
const PIECE = 1024 * 1024

/** Holds bytes until they are known to be complete. On disk they are in an unlinked file, which vanishes even on kill -9. */
export class Spool {
  readonly #folder: string
  #pieces: Buffer[] = []
  #fd: number | undefined
  #size = 0

  /** `folder`: for what does not fit into memory. */
  constructor(folder: string) {
    this.#folder = folder
  }

  get size(): number {
    return this.#size
  }

  append(bytes: Buffer): void {
    if (this.#fd === undefined && this.#size + bytes.length <= IN_MEMORY) {
      // A copy, since the caller may reuse the buffer.
      this.#pieces.push(Buffer.from(bytes))
    } else {
      this.#fd ??= this.#toDisk()
      writeAll(this.#fd, bytes)
    }
    this.#size += bytes.length
  }

  *read(from: number, length: number): Generator<Buffer> {
    if (this.#fd === undefined) {
      yield* inMemory(this.#pieces, from, length)
      return
    }
    for (let at = from; at < from + length; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, from + length - at))
      const count = readSync(this.#fd, piece, 0, piece.length, at)
      if (count === 0) throw new Error('spool file disappeared')
      yield piece.subarray(0, count)
      at += count
    }
  }

  /** Discards everything. The spool can be used again. */
  clear(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
    this.#pieces = []
    this.#size = 0
  }

  #toDisk(): number {
    privateFolder(this.#folder)
    const folder = mkdtempSync(join(this.#folder, '.ion-spool-'))
    try {
      const fd = openSync(join(folder, 'bytes'), 'wx+', 0o600)
      for (const piece of this.#pieces) writeAll(fd, piece)
      this.#pieces = []
      return fd
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function* inMemory(pieces: readonly Buffer[], from: number, length: number): Generator<Buffer> {
  let at = 0
  for (const piece of pieces) {
    const start = Math.max(0, from - at)
    const end = Math.min(piece.length, from + length - at)
    if (start < end) yield piece.subarray(start, end)
    at += piece.length
  }
}
