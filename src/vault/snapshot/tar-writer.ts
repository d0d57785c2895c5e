import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { syncFolder, writeAll } from '../../platform/atomic-file.ts'
import { IonError } from '../../platform/error.ts'
import { filling, TAR_END, tarHeader } from './tar-header.ts'

/** So much is compressed at once. Gzip may be in several pieces; whatever reads gzip reads them as one. */
const CHUNK = 1024 * 1024
/** The quickest, as in the vault. */
const LEVEL = 1

/** Writes a `.tar.gz` beside its place; it is there only when it is whole. */
export class TarWriter {
  readonly #path: string
  readonly #temporary: string
  readonly #fd: number
  readonly #seconds: number
  #waiting: Buffer[] = []
  #size = 0

  constructor(path: string, at: Date) {
    this.#path = path
    this.#temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    this.#fd = openSync(this.#temporary, 'wx', 0o600)
    this.#seconds = Math.floor(at.getTime() / 1000)
  }

  /** `content` must give exactly `size` bytes. */
  add(name: string, size: number, content: Iterable<Buffer>): void {
    this.#write(tarHeader({ name, size }, this.#seconds))
    let written = 0
    for (const piece of content) {
      this.#write(piece)
      written += piece.length
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`)
    this.#write(filling(size))
  }

  /** Puts it in its place, and gives its size there. Refuses to replace another file unless that is wanted. */
  finish(force: boolean): number {
    this.#write(TAR_END)
    this.#flush()
    fsyncSync(this.#fd)
    const { size } = statSync(this.#temporary)
    if (force) renameSync(this.#temporary, this.#path)
    else this.#putWhereNothingIs()
    closeSync(this.#fd)
    syncFolder(dirname(this.#path))
    return size
  }

  /** Leaves nothing behind. */
  abandon(): void {
    closeSync(this.#fd)
    rmSync(this.#temporary, { force: true })
  }

  /** By a link, since a rename would replace what somebody else has put there meanwhile. */
  #putWhereNothingIs(): void {
    try {
      linkSync(this.#temporary, this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(this.#path)) throw alreadyThere(this.#path)
      // Some file systems have no links.
      renameSync(this.#temporary, this.#path)
      return
    }
    rmSync(this.#temporary)
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#waiting.push(bytes)
    this.#size += bytes.length
    if (this.#size >= CHUNK) this.#flush()
  }

  #flush(): void {
    if (this.#size === 0) return
    writeAll(this.#fd, gzipSync(Buffer.concat(this.#waiting), { level: LEVEL }))
    this.#waiting = []
    this.#size = 0
  }
}

export function alreadyThere(path: string): IonError {
  return new IonError('refused', `${path} is there already`, { hint: 'choose another name, or --force to replace it' })
}
