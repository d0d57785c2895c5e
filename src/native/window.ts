import { type ByteFile, openBytes } from './byte-file.ts'
import type { ReadContext } from './read-context.ts'
import { readRegularFile } from './regular-file.ts'

/** Files up to this size are read once for each context, and counted from the start when they have grown. */
export const SMALL_FILE = 64 * 1024

/** The first `size` bytes of a file. */
export function readHead(path: string, size: number, reading: ReadContext): Buffer {
  return readWindow(path, reading, () => [0, size])
}

/** The last `size` bytes of a file. */
export function readTail(path: string, size: number, reading: ReadContext): Buffer {
  return readWindow(path, reading, (total) => [Math.max(0, total - size), size])
}

/** `length` bytes from `offset`; fewer at the end of the file. */
export function readAt(path: string, offset: number, length: number, reading: ReadContext): Buffer {
  return readWindow(path, reading, () => [offset, length])
}

/** A complete file (metadata, a JSON session); throws like `fs`, and if it is larger than `limit`. */
export function readWhole(path: string, reading: ReadContext, limit?: number): Buffer {
  const bytes = readRegularFile(path, limit)
  reading.bytes += bytes.length
  return bytes
}

function readWindow(path: string, reading: ReadContext, range: (total: number) => [number, number]): Buffer {
  const known = reading.smallFile
  if (known?.path === path) return cut(known.bytes, range(known.bytes.length))
  const file = openBytes(path)
  try {
    const { size } = file
    if (size > SMALL_FILE) return take(file, range(size), reading)
    const bytes = take(file, [0, size], reading)
    reading.smallFile = { path, bytes }
    return cut(bytes, range(bytes.length))
  } finally {
    file.close()
  }
}

function take(file: ByteFile, [offset, length]: [number, number], reading: ReadContext): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let taken = 0
  for (let read = -1; read !== 0 && taken < length; taken += read) {
    read = file.read(bytes, taken, length - taken, offset + taken)
  }
  reading.bytes += taken
  return bytes.subarray(0, taken)
}

function cut(bytes: Buffer, [offset, length]: [number, number]): Buffer {
  return bytes.subarray(offset, offset + length)
}
