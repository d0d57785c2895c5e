import { closeSync, fstatSync, readSync } from 'node:fs'
import { openPlain, readPlain } from './plain-file.ts'
import type { Reading } from './reading.ts'

/** Files up to this size are read once for one act of reading. */
const SMALL = 64 * 1024

/** The first `size` bytes of a file. */
export function readHead(path: string, size: number, reading: Reading): Buffer {
  return readWindow(path, reading, () => [0, size])
}

/** The last `size` bytes of a file. */
export function readTail(path: string, size: number, reading: Reading): Buffer {
  return readWindow(path, reading, (total) => [Math.max(0, total - size), size])
}

/** `length` bytes from `offset` on; fewer at the end of the file. */
export function readAt(path: string, offset: number, length: number, reading: Reading): Buffer {
  return readWindow(path, reading, () => [offset, length])
}

/** A whole file (metadata, a JSON session); throws as `fs` does, and for one that is too large. */
export function readWhole(path: string, reading: Reading): Buffer {
  const bytes = readPlain(path)
  reading.bytes += bytes.length
  return bytes
}

function readWindow(path: string, reading: Reading, range: (total: number) => [number, number]): Buffer {
  const known = reading.smallFile
  if (known?.path === path) return cut(known.bytes, range(known.bytes.length))
  const fd = openPlain(path)
  try {
    const { size } = fstatSync(fd)
    if (size > SMALL) return take(fd, range(size), reading)
    const bytes = take(fd, [0, size], reading)
    reading.smallFile = { path, bytes }
    return cut(bytes, range(bytes.length))
  } finally {
    closeSync(fd)
  }
}

function take(fd: number, [offset, length]: [number, number], reading: Reading): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  const read = readSync(fd, bytes, 0, length, offset)
  reading.bytes += read
  return bytes.subarray(0, read)
}

function cut(bytes: Buffer, [offset, length]: [number, number]): Buffer {
  return bytes.subarray(offset, offset + length)
}
