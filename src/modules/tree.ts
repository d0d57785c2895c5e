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
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import { walkEntries } from './measure.ts'

/** A name for the state of a whole tree: another one as soon as a file is written, added, removed or renamed in it. */
export function stampOf(root: string): string {
  const hash = createHash('sha256')
  for (const { name, path, stats } of walkEntries(root)) {
    const { mode, size, mtimeNs } = stats
    const target = stats.isSymbolicLink() ? readlinkSync(path) : ''
    // The size of a folder is its file system's affair.
    hash.update(JSON.stringify([name, `${mode}`, stats.isFile() ? `${size}` : '', `${mtimeNs}`, target]))
  }
  return hash.digest('hex')
}

/**
 * Copies a tree to a name that does not exist yet, file by file onto the disk, and reads each copy back: sizes and hashes
 * must be those of the source. Modes, times and links are kept. Throws at anything that is neither file, folder nor link.
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
    throw new IonError('refused', `${from} is neither file, folder nor link and cannot be copied`, {
      hint: 'end the program that made it, or remove it',
    })
  }
  mkdirSync(to, { mode: 0o700 })
  for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name))
  utimesSync(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  chmodSync(to, stats.mode & 0o7777)
  syncFolder(to)
}

const PIECE = 1 << 20

function copyFile(from: string, to: string): void {
  const hash = createHash('sha256')
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const stats = lstatSync(from)
    const copy = openSync(to, 'wx', 0o600)
    try {
      const size = eachPiece(source, hash, (piece) => {
        for (let written = 0; written < piece.length; ) written += writeSync(copy, piece, written)
      })
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
    const read = eachPiece(fd, hash, () => {})
    if (read === size && hash.digest('hex') === digest) return
  } finally {
    closeSync(fd)
  }
  throw new IonError('failed', `the copy ${copy} is not what was copied`, { hint: 'check the disk; nothing was moved' })
}

function eachPiece(fd: number, hash: Hash, body: (piece: Uint8Array) => void): number {
  const buffer = Buffer.alloc(PIECE)
  let size = 0
  for (;;) {
    const count = readSync(fd, buffer, 0, PIECE, null)
    if (count === 0) return size
    const piece = buffer.subarray(0, count)
    hash.update(piece)
    body(piece)
    size += count
  }
}

/** Removes a tree; nothing there is fine. Links are removed, not followed. */
export function removeTree(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isDirectory()) {
    unlinkSync(path)
    return
  }
  // What is in a folder that its owner may not write to cannot be removed.
  if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700)
  for (const name of readdirSync(path)) removeTree(join(path, name))
  rmdirSync(path)
}
