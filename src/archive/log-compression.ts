import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, futimesSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isUuid } from '../events/id.ts'
import { BlockedGzip, compressed } from '../native/blocked-gzip.ts'
import { type ByteFile, openBytes } from '../native/byte-file.ts'
import { openRegularFile } from '../native/regular-file.ts'
import { type FileStamp, stampOf } from '../native/walk.ts'
import { syncFolder, writeAll } from '../platform/atomic-file.ts'
import { isDiskFull, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { archiveFolder } from './archive-paths.ts'

/**
 * An archived log is plain (`<id>.jsonl`, can be appended to) or compressed (`<id>.jsonl.gz`). To change its form, the other
 * one is written under a temporary name, renamed, and then the first one is removed: a crash leaves one or both. If both
 * exist, the plain one counts, since only that can have grown. The caller holds the archive's lease.
 */

/** Suffix of temporary names. Only a crash leaves one. */
const UNFINISHED = '.tmp'

const CHUNK = 256 * 1024

export function compressedForm(path: string): string {
  return `${path}.gz`
}

/** Whether the log exists, in either form. */
export function hasLog(path: string): boolean {
  return stampOf(path) !== undefined || stampOf(compressedForm(path)) !== undefined
}

/** Compresses a log and returns its new size. Throws, and leaves it as it is, when reading it back gives something else. */
export function compressLog(path: string): number {
  const gz = compressedForm(path)
  using(openBytes, path, (log) => {
    writeAtomically(gz, path, compressed(readerOf(log)), (temporary) => {
      const isEqual = using(openCompressed, temporary, (copy) => isStartOf(copy, log) && copy.size === log.size)
      if (!isEqual) throw new Error(`${path}: verification of the compressed copy failed`)
    })
  })
  remove(path)
  return stampOf(gz)!.size
}

/** Makes a compressed log appendable. Does nothing if it is plain, or does not exist. */
export function decompressLog(path: string): void {
  const gz = compressedForm(path)
  if (!stampOf(gz)) return
  if (stampOf(path)) resolveBothForms(path)
  else {
    using(openBytes, gz, (log) => writeAtomically(path, gz, partsOf(readerOf(log))))
    remove(gz)
  }
}

/** After a crash that left both forms, removes the compressed one if the plain one starts with its content. */
function resolveBothForms(path: string): void {
  const gz = compressedForm(path)
  const isInside = using(openBytes, gz, (copy) => using(openBytes, path, (log) => isStartOf(copy, log)))
  if (!isInside) throw new Error(`${path} and ${gz} differ; move one of them away`)
  remove(gz)
}

function openCompressed(path: string): ByteFile {
  return new BlockedGzip(openRegularFile(path))
}

function using<T>(open: (path: string) => ByteFile, path: string, body: (file: ByteFile) => T): T {
  const file = open(path)
  try {
    return body(file)
  } catch (error) {
    // Errors of the system name the file; those about damaged data do not.
    if (error instanceof Error && !('syscall' in error) && !error.message.includes(path)) {
      throw new Error(`${path}: ${messageOf(error)}`, { cause: error })
    }
    throw error
  } finally {
    file.close()
  }
}

/** Reads the next bytes with each call; returns 0 at the end. */
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

/** Whether the second starts with all of the first. */
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

/** Writes a file that appears under its name only when it is on the disk and was checked. It gets the time of `of`. */
function writeAtomically(path: string, of: string, parts: Iterable<Buffer>, check?: (temporary: string) => void): void {
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

function remove(path: string): void {
  unlinkSync(path)
  syncFolder(dirname(path))
}

/** A session that has not changed for this long is not expected to. */
const OLD_DAYS = 30

/** How many bytes are compressed at once: a second or two. */
const BUDGET = 64 * 1024 * 1024

export interface CompressionResult {
  /** Logs that were compressed. */
  readonly logs: number
  /** Their bytes before and now. */
  readonly before: number
  readonly after: number
  /** Logs that remain to be compressed. */
  readonly left: number
  /** What failed, and why. */
  readonly problems: readonly string[]
}

/**
 * Compresses the logs of sessions that have not changed for a month, oldest first, up to `budget` bytes; a larger log is
 * compressed alone. Also cleans up after crashes. `changed` gives the time of a session's last change in milliseconds; if
 * it is unknown, the time of the log counts.
 */
export function compressOldLogs(
  io: Io,
  changed: (id: string) => number | undefined,
  budget: number = BUDGET,
): CompressionResult {
  const limit = io.now().getTime() - OLD_DAYS * 86_400_000
  const problems: string[] = []
  const due: { readonly stamp: FileStamp; readonly age: number }[] = []
  for (const { id, path } of plainLogs(archiveFolder(io), problems)) {
    const stamp = stampOf(path)
    const age = stamp && (changed(id) ?? stamp.mtimeMs)
    if (stamp && age !== undefined && age < limit) due.push({ stamp, age })
  }
  const done = { logs: 0, before: 0, after: 0 }
  for (const { stamp } of due.sort((a, b) => a.age - b.age)) {
    if (done.logs > 0 && done.before + stamp.size > budget) continue
    try {
      done.after += compressLog(stamp.path)
      done.before += stamp.size
      done.logs++
    } catch (error) {
      problems.push(messageOf(error))
      // It would be the same with all others.
      if (isDiskFull(error)) break
    }
  }
  return { ...done, left: due.length - done.logs, problems }
}

/** Logs that are not compressed, after cleaning up what crashes left. */
function* plainLogs(root: string, problems: string[]): Generator<{ readonly id: string; readonly path: string }> {
  for (const project of listNames(root)) {
    // The lease of the archive's writer.
    if (project.startsWith('.')) continue
    const folder = join(root, project)
    const names = new Set(listNames(folder))
    for (const name of names) {
      const path = join(folder, name)
      if (name.endsWith(UNFINISHED)) rmSync(path, { force: true })
      const id = name.replace(/\.jsonl$/, '')
      if (id === name || !isUuid(id)) continue
      try {
        if (names.has(compressedForm(name))) resolveBothForms(path)
        yield { id, path }
      } catch (error) {
        problems.push(messageOf(error))
      }
    }
  }
}
