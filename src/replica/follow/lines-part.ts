import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, type Stats } from 'node:fs'
import { openRegularFile } from '../../native/regular-file.ts'
import { isMissing } from '../../platform/error.ts'
import { endOfLines, readFully } from '../../vault/part-content.ts'
import type { About } from '../log/record.ts'
import type { ContentChange, ImagePart } from '../log/write-log.ts'

const BLOCK = 1024 * 1024
const GUARDED = 4096
/** A file up to this size is read again whenever it has changed: that takes a few milliseconds. */
const REREAD = 1024 * 1024

/** What is known to be in the store. */
export interface StoredContent {
  readonly size: number
  readonly sha256: string
}

/**
 * A file to which lines are appended: of a large one only what is new is read, up to the last complete line. It is read
 * again from its start when it was replaced, cut, or changed where it is looked at.
 */
export class LinesPart {
  readonly #path: string
  readonly #buffer = Buffer.allocUnsafe(BLOCK)
  #stored: StoredContent | undefined
  /** Of what is in the store: with the new bytes it must give that of the content. */
  #storedHash: Hash | undefined
  #read: ReadSoFar | undefined

  /** `stored`: its content in the store, of which this file may be a continuation. */
  constructor(path: string, stored: StoredContent | undefined) {
    this.#path = path
    this.#stored = stored
  }

  /** Undefined when there is no such file. `about` gets its mode. */
  look(name: string, about: (mode: number) => About): ImagePart | undefined {
    const fd = open(this.#path)
    if (fd === undefined) return undefined
    try {
      const stat = fstatSync(fd)
      const end = endOfLines(fd, stat.size)
      const read = this.#continued(fd, stat) ?? this.#begun(fd, stat, end)
      this.#readOn(fd, read, end)
      Object.assign(read, { mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs, end: stat.size })
      this.#read = read
      return this.#part(name, about(stat.mode & 0o777), read)
    } finally {
      closeSync(fd)
    }
  }

  /** That part is in the store now. */
  stored({ size, sha256 }: StoredContent): void {
    this.#stored = { size, sha256 }
    this.#storedHash = this.#read?.size === size ? this.#read.hash.copy() : undefined
  }

  /** The next look reads it from its start. */
  doubt(): void {
    this.#read = undefined
  }

  #continued(fd: number, { ino, size, mtimeMs, ctimeMs }: Stats): ReadSoFar | undefined {
    const read = this.#read
    if (!read || read.ino !== ino || size < read.size) return undefined
    const isUnchanged = read.mtimeMs === mtimeMs && read.ctimeMs === ctimeMs && read.end === size
    if (size <= REREAD && !isUnchanged) return undefined
    return guardOf(fd, read.size) === read.guard ? read : undefined
  }

  /** From the start, up to the end of what is in the store if the file starts with that. */
  #begun(fd: number, { ino }: Stats, end: number): ReadSoFar {
    const read: ReadSoFar = { ino, size: 0, hash: createHash('sha256'), guard: '', mtimeMs: 0, ctimeMs: 0, end: 0 }
    const stored = this.#stored
    if (stored && stored.size <= end) this.#readOn(fd, read, stored.size)
    if (stored && digest(read.hash) !== stored.sha256) this.#stored = undefined
    this.#storedHash = read.hash.copy()
    return read
  }

  #readOn(fd: number, read: ReadSoFar, end: number): void {
    while (read.size < end) {
      const block = this.#buffer.subarray(0, Math.min(BLOCK, end - read.size))
      if (readFully(fd, block, read.size) < block.length) throw becameShorter(this.#path)
      read.hash.update(block)
      read.size += block.length
    }
    read.guard = guardOf(fd, read.size)
  }

  #part(name: string, about: About, now: ReadSoFar): ImagePart {
    const [stored, storedHash] = [this.#stored, this.#storedHash]
    const { ino, size, guard } = now
    const sha256 = digest(now.hash)
    const read = (from: number, to: number): Iterable<Uint8Array> => this.#range({ ino, size, guard }, from, to)
    return {
      name,
      about,
      size,
      sha256,
      read,
      changeFrom(from): ContentChange | undefined {
        if (stored?.sha256 !== from || !storedHash) return undefined
        const bytes = (): Iterable<Uint8Array> => checked(read(stored.size, size), storedHash.copy(), sha256, name)
        return { ops: [[0, stored.size], [size - stored.size]], bytes }
      },
    }
  }

  /** It may have grown since it was looked at, and nothing else. */
  *#range({ ino, size, guard }: Seen, from: number, to: number): Generator<Uint8Array> {
    const fd = openRegularFile(this.#path)
    try {
      if (fstatSync(fd).ino !== ino) throw changed(this.#path)
      for (let at = from; at < to; at += BLOCK) {
        const block = this.#buffer.subarray(0, Math.min(BLOCK, to - at))
        if (readFully(fd, block, at) < block.length) throw becameShorter(this.#path)
        yield block
      }
      if (guardOf(fd, size) !== guard) throw changed(this.#path)
    } finally {
      closeSync(fd)
    }
  }
}

type Seen = Readonly<Pick<ReadSoFar, 'ino' | 'size' | 'guard'>>

/** The same bytes; throws at their end if the content as a whole is another one than was looked at. */
function* checked(bytes: Iterable<Uint8Array>, hash: Hash, sha256: string, name: string): Generator<Uint8Array> {
  for (const block of bytes) {
    hash.update(block)
    yield block
  }
  if (digest(hash) !== sha256) throw changed(name)
}

interface ReadSoFar {
  readonly ino: number
  readonly hash: Hash
  size: number
  /** Of the file when it was read. */
  mtimeMs: number
  ctimeMs: number
  end: number
  /** Of its first bytes, and the last ones before `size`: as long as they are the same, it has only grown. */
  guard: string
}

function open(path: string): number | undefined {
  try {
    return openRegularFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function guardOf(fd: number, size: number): string {
  const first = Buffer.alloc(Math.min(GUARDED, size))
  const last = Buffer.alloc(Math.min(GUARDED, size))
  readFully(fd, first, 0)
  readFully(fd, last, size - last.length)
  return createHash('sha256').update(first).update(last).digest('base64')
}

function digest(hash: Hash): string {
  return hash.copy().digest('hex')
}

function changed(path: string): Error {
  return new Error(`${path} changed while it was read`)
}

function becameShorter(path: string): Error {
  return new Error(`${path} became shorter while it was read`)
}
