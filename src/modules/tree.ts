import { createHash, type Hash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder, writeAll } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import { walkEntries } from './measure.ts'

/** A hash of a tree's state. It changes when a file in it is written, added, removed or renamed. */
export function stampOf(root: string): string {
  const hash = createHash('sha256')
  for (const { name, path, stats } of walkEntries(root)) {
    const { mode, size, mtimeNs } = stats
    const target = stats.isSymbolicLink() ? readlinkSync(path) : ''
    // The size of a folder depends on the file system.
    hash.update(JSON.stringify([name, `${mode}`, stats.isFile() ? `${size}` : '', `${mtimeNs}`, target]))
  }
  return hash.digest('hex')
}

/**
 * Copies a tree to a path that does not exist yet, syncs each file and reads it back: sizes and hashes must match the
 * source. Keeps modes, times and links. Throws for anything that is not a file, folder or link.
 */
export function copyTree(from: string, to: string): void {
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
    return
  }
  if (stats.isFile()) {
    copyFile(from, to)
    return
  }
  if (!stats.isDirectory()) {
    throw new IonError('refused', `${from} is not a file, folder or link and cannot be copied`, {
      hint: 'stop the program that created it, or remove it',
    })
  }
  mkdirSync(to, { mode: 0o700 })
  for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name))
  utimesSync(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  chmodSync(to, stats.mode & 0o7777)
  syncFolder(to)
}

const CHUNK_BYTES = 1 << 20

function copyFile(from: string, to: string): void {
  const hash = createHash('sha256')
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const stats = lstatSync(from)
    const copy = openSync(to, 'wx', 0o600)
    try {
      const size = forEachChunk(source, hash, (chunk) => writeAll(copy, chunk))
      fchmodSync(copy, stats.mode & 0o7777)
      futimesSync(copy, stats.atimeMs / 1000, stats.mtimeMs / 1000)
      fsyncSync(copy)
      compare(to, size, hash.digest('hex'))
    } finally {
      closeSync(copy)
    }
  } finally {
    closeSync(source)
  }
}

function compare(copy: string, size: number, digest: string): void {
  const hash = createHash('sha256')
  const fd = openSync(copy, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const read = forEachChunk(fd, hash, () => {})
    if (read === size && hash.digest('hex') === digest) return
  } finally {
    closeSync(fd)
  }
  throw new IonError('failed', `verification of the copy ${copy} failed`, { hint: 'check the disk; nothing was moved' })
}

function forEachChunk(fd: number, hash: Hash, body: (chunk: Uint8Array) => void): number {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let size = 0
  for (;;) {
    const count = readSync(fd, buffer, 0, CHUNK_BYTES, null)
    if (count === 0) return size
    const chunk = buffer.subarray(0, count)
    hash.update(chunk)
    body(chunk)
    size += count
  }
}

/** Removes a tree if it exists. Links are removed, not followed. */
export function removeTree(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isDirectory()) {
    unlinkSync(path)
    return
  }
  // The contents of a folder that is not writable cannot be removed.
  if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700)
  for (const name of readdirSync(path)) removeTree(join(path, name))
  rmdirSync(path)
}
