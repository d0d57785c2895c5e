import { closeSync, fstatSync, readSync } from 'node:fs'
import { BlockedGzip, COMPRESSED } from './blocked-gzip.ts'
import { openRegularFile } from './regular-file.ts'

/** A file that bytes are read from, whether they stand in it as they are or compressed. */
export interface ByteFile {
  /** Of what can be read, not of what it takes on the disk. */
  readonly size: number
  /** As `fs.readSync`: perhaps fewer than asked for, 0 only at the end. */
  read(target: Buffer, at: number, length: number, position: number): number
  close(): void
}

/** Opens a plain file. What Ion has compressed, as its name tells, reads as if it were not. */
export function openBytes(path: string): ByteFile {
  const fd = openRegularFile(path)
  return path.endsWith(COMPRESSED) ? new BlockedGzip(fd) : new PlainBytes(fd)
}

class PlainBytes implements ByteFile {
  readonly #fd: number

  constructor(fd: number) {
    this.#fd = fd
  }

  get size(): number {
    return fstatSync(this.#fd).size
  }

  read(target: Buffer, at: number, length: number, position: number): number {
    return readSync(this.#fd, target, at, length, position)
  }

  close(): void {
    closeSync(this.#fd)
  }
}
