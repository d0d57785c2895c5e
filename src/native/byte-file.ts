import { closeSync, readSync } from 'node:fs'
import { BlockedGzip, COMPRESSED } from './blocked-gzip.ts'
import { openWithSize } from './regular-file.ts'

/** A file to read bytes from, compressed or not. */
export interface ByteFile {
  /** Of the content, not of the file on the disk; when it was opened. */
  readonly size: number
  /** As `fs.readSync`: may return fewer than requested, 0 only at the end. */
  read(target: Buffer, at: number, length: number, position: number): number
  close(): void
}

/** Opens a regular file. One that Ion has compressed, by its name, is decompressed. */
export function openBytes(path: string): ByteFile {
  const { fd, size } = openWithSize(path)
  if (path.endsWith(COMPRESSED)) return new BlockedGzip(fd)
  return {
    size,
    read: (target, at, length, position) => readSync(fd, target, at, length, position),
    close: () => closeSync(fd),
  }
}
