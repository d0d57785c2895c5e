import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { ReadError } from '../events/item.ts'

/** The maximum size of a file that is read at once, as one JSON value. */
const MAX_WHOLE = 256 * 1024 * 1024

/**
 * Opens a regular file for reading. Throws for a pipe, a socket or a device: reading one could block or never end.
 * O_NONBLOCK keeps the opening of a pipe from blocking; it has no effect on regular files.
 */
export function openRegularFile(path: string): number {
  return openWithSize(path).fd
}

/** The same with its size, which is known from that check. */
export function openWithSize(path: string): { readonly fd: number; readonly size: number } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stat = fstatSync(fd)
  if (stat.isFile() || stat.isDirectory()) return { fd, size: stat.size }
  closeSync(fd)
  throw new ReadError('not_regular_file', 'not a regular file')
}

/** The content of a regular file; throws if it is larger than `limit`. */
export function readRegularFile(path: string, limit: number = MAX_WHOLE): Buffer {
  const { fd, size } = openWithSize(path)
  try {
    if (size > limit) throw new ReadError('too_large', `${Math.round(size / 1e6)} MB is too much to read at once`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}
