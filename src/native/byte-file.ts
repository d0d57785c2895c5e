import { closeSync, fstatSync, readSync } from 'node:fs'
import { BlockedGzip, COMPRESSED } from './blocked-gzip.ts'
import { openRegularFile } from './regular-file.ts'

/** A file to read bytes from, compressed or not. */
export interface ByteFile {
  /** Of the content, not of the file on the disk. */
  readonly size: number
  /** As `fs.readSync`: may return fewer than requested, 0 only at the end. */
  read(target: Buffer, at: number, length: number, position: number): number
  close(): void
}

/** Opens a regular file. One that Ion has compressed, by its name, is decompressed. */
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
