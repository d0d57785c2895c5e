import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, futimesSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { BlockedGzip, compressed } from '../native/blocked-gzip.ts'
import { type ByteFile, openBytes } from '../native/byte-file.ts'
import { openRegularFile } from '../native/regular-file.ts'
import { stampOf } from '../native/walk.ts'
import { syncFolder, writeAll } from '../platform/atomic-file.ts'
import { messageOf } from '../platform/error.ts'

/**
 * An archived log is warm (`<id>.jsonl`, can be appended to) or cold (`<id>.jsonl.gz`). Changing it makes the other form
 * whole under another name, then gives it its own, then removes the old one: a crash leaves one or both. Where both
 * are there the warm one counts, since only that can have grown. The caller is the archive's one writer.
 */

/** How names end that are of no log yet. Only a crash leaves one. */
export const UNFINISHED = '.tmp'

const CHUNK = 256 * 1024

export function coldForm(path: string): string {
  return `${path}.gz`
}

/** Whether the log is there, in either form. */
export function hasLog(path: string): boolean {
  return stampOf(path) !== undefined || stampOf(coldForm(path)) !== undefined
}

/** Compresses a warm log, and returns its size then. Throws, and leaves it, when reading back does not give the same. */
export function compressLog(path: string): number {
  const cold = coldForm(path)
  using(openBytes, path, (warm) => {
    writeWhole(cold, path, compressed(readerOf(warm)), (temporary) => {
      const isEqual = using(openCompressed, temporary, (copy) => isStartOf(copy, warm) && copy.size === warm.size)
      if (!isEqual) throw new Error(`${path}: the compressed copy reads otherwise`)
    })
  })
  drop(path)
  return stampOf(cold)!.size
}

/** Makes a cold log one that can be appended to. Nothing to do where it is warm, or not there at all. */
export function decompressLog(path: string): void {
  const cold = coldForm(path)
  if (!stampOf(cold)) return
  if (stampOf(path)) resolveBothForms(path)
  else {
    using(openBytes, cold, (log) => writeWhole(path, cold, partsOf(readerOf(log))))
    drop(cold)
  }
}

/** Where a crash left both forms, removes the cold one, if all of it stands in the warm one. */
export function resolveBothForms(path: string): void {
  const cold = coldForm(path)
  const isInside = using(openBytes, cold, (copy) => using(openBytes, path, (warm) => isStartOf(copy, warm)))
  if (!isInside) throw new Error(`${path} and ${cold} differ; move one of them away`)
  drop(cold)
}

function openCompressed(path: string): ByteFile {
  return new BlockedGzip(openRegularFile(path))
}

function using<T>(open: (path: string) => ByteFile, path: string, body: (file: ByteFile) => T): T {
  const file = open(path)
  try {
    return body(file)
  } catch (error) {
    // The system's errors tell the file themselves; that of a damaged one does not.
    if (error instanceof Error && !('syscall' in error) && !error.message.includes(path)) {
      throw new Error(`${path}: ${messageOf(error)}`, { cause: error })
    }
    throw error
  } finally {
    file.close()
  }
}

/** From the start to the end, as often as it is asked; 0 then. */
function readerOf(file: ByteFile): (target: Buffer) => number {
  let position = 0
  return (target) => {
    const count = file.read(target, 0, target.length, position)
    position += count
    return count
  }
}

function* partsOf(read: (target: Buffer) => number): Generator<Buffer> {
  const part = Buffer.alloc(CHUNK)
  for (let count = read(part); count > 0; count = read(part)) yield part.subarray(0, count)
}

/** Whether all of the first stands at the start of the second. */
function isStartOf(first: ByteFile, second: ByteFile): boolean {
  const other = Buffer.alloc(CHUNK)
  let position = 0
  for (const part of partsOf(readerOf(first))) {
    for (let done = 0; done < part.length; ) {
      const count = second.read(other, 0, part.length - done, position)
      if (count === 0 || part.compare(other, 0, count, done, done + count) !== 0) return false
      done += count
      position += count
    }
  }
  return true
}

/** Nobody sees it under its name before it is on the disk and has been looked at. As old as `of`: it says no more. */
function writeWhole(path: string, of: string, parts: Iterable<Buffer>, check?: (temporary: string) => void): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`
  const age = stampOf(of)!.mtimeMs / 1000
  const fd = openSync(temporary, 'wx', 0o600)
  try {
    try {
      for (const part of parts) writeAll(fd, part)
      futimesSync(fd, age, age)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    check?.(temporary)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

function drop(path: string): void {
  unlinkSync(path)
  syncFolder(dirname(path))
}
