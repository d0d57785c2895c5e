import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { compress, decompress } from '../platform/brotli.ts'
import { IonError, isDiskFull, isMissing, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { objectsFolder } from './vault-paths.ts'

/** A file is stored in pieces of this size, so that a growing file shares all but its last piece with its earlier copy. */
export const PIECE = 1024 * 1024

/** Suffix of an uncompressed piece. */
const PLAIN = '.plain'

/** The bytes to compress in one call, which takes a second or less. */
const BUDGET = 64 * 1024 * 1024

export interface PutOptions {
  /** When its session last changed, in milliseconds, if that is known: `pack` counts from then. */
  readonly changed?: number | undefined
  /** An existing piece is read back, and replaced if damaged. */
  readonly verify?: boolean
}

/**
 * Pieces of content named by their hash, so that equal content is stored once. They are stored uncompressed at first:
 * compressing takes longer than the rest of a copy, and decompressing four times as long as the rest of a restore.
 */
export class Objects {
  readonly #folder: string
  /** Pieces that were written here. */
  readonly #written = new Set<string>()

  constructor(io: Io) {
    this.#folder = objectsFolder(io)
  }

  /** On disk when this returns. */
  put(bytes: Uint8Array, { changed, verify = false }: PutOptions = {}): string {
    const hash = hashOf(bytes)
    const { plain, packed } = this.#filesOf(hash)
    const exists = verify ? this.isIntact(hash) : existsSync(plain) || existsSync(packed)
    if (exists) return hash
    replaceFile(plain, bytes)
    if (changed !== undefined) utimesSync(plain, changed / 1000, changed / 1000)
    this.#written.add(hash)
    return hash
  }

  /**
   * Compresses pieces of sessions that last changed before that time, within the budget; not those that were just written,
   * since making the copies comes first. Returns the problems.
   */
  pack(before: number): string[] {
    const problems: string[] = []
    let done = 0
    for (const file of this.#files()) {
      const hash = basename(file, PLAIN)
      if (!file.endsWith(PLAIN) || this.#written.has(hash)) continue
      const stat = statSync(file)
      if (stat.mtimeMs >= before) continue
      if (done >= BUDGET) return problems
      done += stat.size
      try {
        this.#pack(this.get(hash), hash)
      } catch (error) {
        problems.push(messageOf(error))
        // The next would fail too.
        if (isDiskFull(error)) return problems
      }
    }
    return problems
  }

  isIntact(hash: string): boolean {
    try {
      this.get(hash)
      return true
    } catch {
      return false
    }
  }

  /** Throws when the piece is damaged. */
  get(hash: string): Buffer {
    const { plain, packed } = this.#filesOf(hash)
    const bytes = plainContent(plain)
    if (bytes) return checked(bytes, hash, plain)
    let unpacked: Buffer
    try {
      unpacked = decompress(readFileSync(packed), PIECE)
    } catch (error) {
      throw damaged(packed, isMissing(error) ? 'is missing' : 'cannot be decompressed', error)
    }
    return checked(unpacked, hash, packed)
  }

  /** Removes all pieces that are not needed. Returns the bytes freed. */
  sweep(needed: ReadonlySet<string>): number {
    let freed = 0
    for (const file of this.#files()) {
      if (needed.has(basename(file, PLAIN))) continue
      freed += statSync(file, { throwIfNoEntry: false })?.size ?? 0
      rmSync(file, { force: true })
    }
    return freed
  }

  *#files(): Generator<string> {
    for (const two of listNames(this.#folder)) {
      for (const name of listNames(join(this.#folder, two))) yield join(this.#folder, two, name)
    }
  }

  /** A concurrent reader finds one form or the other. */
  #pack(bytes: Uint8Array, hash: string): void {
    const { plain, packed } = this.#filesOf(hash)
    replaceFile(packed, compress(bytes))
    rmSync(plain, { force: true })
  }

  #filesOf(hash: string): { readonly plain: string; readonly packed: string } {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`"${hash}" is not a hash`)
    const packed = join(this.#folder, hash.slice(0, 2), hash)
    return { packed, plain: packed + PLAIN }
  }
}

/** Undefined when it does not exist in this form. */
function plainContent(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw damaged(file, 'cannot be read', error)
  }
}

function checked(bytes: Buffer, hash: string, file: string): Buffer {
  if (hashOf(bytes) !== hash) throw damaged(file, 'has changed since it was written')
  return bytes
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function damaged(file: string, what: string, cause?: unknown): IonError {
  return new IonError('failed', `an exact copy is damaged: ${file} ${what}`, {
    cause,
    hint: 'ion capture --verify lists all damage; ion capture <id> copies a session again while its agent still has it',
  })
}
