import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { ReadError } from '../events/item.ts'

/** A file that must be in memory at once, as one JSON value, may be of this size. */
const MAX_WHOLE = 256 * 1024 * 1024

/**
 * Opens a plain file to read. Throws for a pipe, a socket or a device, whatever its name is: it would be waited on, or
 * read, for ever. Not to wait already at opening a pipe is what O_NONBLOCK is for; a plain file does not care.
 */
export function openRegularFile(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stat = fstatSync(fd)
  if (stat.isFile() || stat.isDirectory()) return fd
  closeSync(fd)
  throw new ReadError('not_regular_file', 'not a regular file')
}

/** The whole of a plain file; throws for one that is larger than `limit`. */
export function readRegularFile(path: string, limit: number = MAX_WHOLE): Buffer {
  const fd = openRegularFile(path)
  try {
    const { size } = fstatSync(fd)
    if (size > limit) throw new ReadError('too_large', `${Math.round(size / 1e6)} MB is too much to read at once`)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}
