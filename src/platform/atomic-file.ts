import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { attempt, isMissing } from './error.ts'

/**
 * Creates a folder that only the user may read, and its parents. Not by Node's `recursive`, which never returns where a
 * folder exists that takes no other, such as /proc.
 */
export function privateFolder(path: string): string {
  try {
    makeFolder(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    privateFolder(parent)
    makeFolder(path)
  }
  return path
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!attempt(() => statSync(path).isDirectory())) throw error
  }
}

/** Writes a file atomically: a reader sees the old or the new one, and a crash leaves one of them. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  placeFile(path, content, mode)
  syncFolder(dirname(path))
}

/** The same, but it is on the disk only after its folder was synced: for callers that write many files into one. */
export function placeFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const fd = createInFolder(dirname(path), () => openSync(temporary, 'wx', mode))
  try {
    writeAll(fd, content)
    fsyncSync(fd)
    closeSync(fd)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Creates a file, and its folder only if that is missing: it mostly exists, and asking costs as much as creating. */
export function createInFolder<T>(folder: string, create: () => T): T {
  try {
    return create()
  } catch (error) {
    if (!isMissing(error)) throw error
    privateFolder(folder)
    return create()
  }
}

/**
 * Appends a line, and returns when it is on the disk. If a crash left part of a line at the end, a line break is written
 * first, so that only that line is bad.
 */
export function appendLine(path: string, line: string): void {
  appendLines(path, [line])
}

/** The same for several lines with one sync. */
export function appendLines(path: string, lines: readonly string[]): void {
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    const { size } = fstatSync(fd)
    writeAll(fd, `${size > 0 && lastByte(fd, size) !== NEWLINE ? '\n' : ''}${lines.join('\n')}\n`)
    fdatasyncSync(fd)
    // A new file's name is on the disk only after its folder is synced.
    if (size === 0) syncFolder(dirname(path))
  } finally {
    closeSync(fd)
  }
}

const NEWLINE = 10

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  return readSync(fd, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

/** Writes everything, in as many calls as it takes. */
export function writeAll(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
}

/** When this returns, files that were renamed, created or removed in the folder are so on the disk. */
export function syncFolder(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
