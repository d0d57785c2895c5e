import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import type { Reading } from './reading.ts'

/** The first `size` bytes of a file. */
export function readHead(path: string, size: number, reading: Reading): Buffer {
  return readWindow(path, reading, () => [0, size])
}

/** The last `size` bytes of a file. */
export function readTail(path: string, size: number, reading: Reading): Buffer {
  return readWindow(path, reading, (total) => [Math.max(0, total - size), Math.min(size, total)])
}

/** `length` bytes from `offset` on; fewer at the end of the file. */
export function readAt(path: string, offset: number, length: number, reading: Reading): Buffer {
  return readWindow(path, reading, () => [offset, length])
}

/** A whole small file (metadata, a JSON session); throws as `fs` does. */
export function readWhole(path: string, reading: Reading): Buffer {
  const bytes = readFileSync(path)
  reading.bytes += bytes.length
  return bytes
}

function readWindow(path: string, reading: Reading, range: (total: number) => [number, number]): Buffer {
  const fd = openSync(path, 'r')
  try {
    const [offset, length] = range(fstatSync(fd).size)
    const bytes = Buffer.allocUnsafe(length)
    const read = readSync(fd, bytes, 0, length, offset)
    reading.bytes += read
    return bytes.subarray(0, read)
  } finally {
    closeSync(fd)
  }
}
