import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { syncFolder, writeAll } from '../../platform/atomic-file.ts'
import { IonError } from '../../platform/error.ts'
import { padding, TAR_END, tarHeader } from './tar-header.ts'

/** The bytes to compress at once. Each chunk is a gzip member; readers of gzip join them. */
const CHUNK = 1024 * 1024
/** The fastest, as for exact copies. */
const LEVEL = 1

/** Writes a `.tar.gz` to a temporary file, which is renamed when complete. */
export class TarWriter {
  readonly #path: string
  readonly #temporary: string
  readonly #fd: number
  readonly #seconds: number
  #pending: Buffer[] = []
  #size = 0

  constructor(path: string, at: Date) {
    this.#path = path
    this.#temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    this.#fd = openSync(this.#temporary, 'wx', 0o600)
    this.#seconds = Math.floor(at.getTime() / 1000)
  }

  /** `content` must have exactly `size` bytes. */
  add(name: string, size: number, content: Iterable<Buffer>): void {
    this.#write(tarHeader({ name, size }, this.#seconds))
    let written = 0
    for (const piece of content) {
      this.#write(piece)
      written += piece.length
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`)
    this.#write(padding(size))
  }

  /** Moves it into place and returns its size. Refuses to replace an existing file without `force`. */
  finish(force: boolean): number {
    this.#write(TAR_END)
    this.#flush()
    fsyncSync(this.#fd)
    const { size } = statSync(this.#temporary)
    if (force) renameSync(this.#temporary, this.#path)
    else this.#moveWithoutReplacing()
    closeSync(this.#fd)
    syncFolder(dirname(this.#path))
    return size
  }

  /** Leaves nothing behind. */
  abandon(): void {
    closeSync(this.#fd)
    rmSync(this.#temporary, { force: true })
  }

  /** Creating a link fails where a rename would silently replace a file that appeared meanwhile. */
  #moveWithoutReplacing(): void {
    try {
      linkSync(this.#temporary, this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(this.#path)) throw alreadyExists(this.#path)
      // Some file systems have no links.
      renameSync(this.#temporary, this.#path)
      return
    }
    rmSync(this.#temporary)
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pending.push(bytes)
    this.#size += bytes.length
    if (this.#size >= CHUNK) this.#flush()
  }

  #flush(): void {
    if (this.#size === 0) return
    writeAll(this.#fd, gzipSync(Buffer.concat(this.#pending), { level: LEVEL }))
    this.#pending = []
    this.#size = 0
  }
}

export function alreadyExists(path: string): IonError {
  return new IonError('refused', `${path} already exists`, {
    hint: 'choose another name, or use --force to overwrite it',
  })
}
