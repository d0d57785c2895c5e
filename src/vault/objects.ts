import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { replaceFile } from '../platform/durable.ts'
import { IonError, isMissing } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { namesIn } from '../platform/look.ts'
import { objectsFolder } from './place.ts'

/** A file is kept in pieces of this size, so that one that has grown shares all but its last with what was kept before. */
export const PIECE = 1024 * 1024
/** As quick as it gets: three times as quick as the least that gzip does, and smaller. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Pieces of content by the hash of what is in them: the same content is there once, however many sessions have it. */
export class Objects {
  readonly #folder: string

  constructor(io: Io) {
    this.#folder = objectsFolder(io)
  }

  /** On the disk when this returns. What is there already is read back only where it is doubted. */
  put(bytes: Uint8Array, isDoubted = false): string {
    const hash = hashOf(bytes)
    const file = this.#fileOf(hash)
    const isThere = isDoubted ? this.isGood(hash) : existsSync(file)
    if (!isThere) replaceFile(file, brotliCompressSync(bytes, packing))
    return hash
  }

  isGood(hash: string): boolean {
    try {
      this.get(hash)
      return true
    } catch {
      return false
    }
  }

  /** Throws when it is not what it was; nothing that is wrong is ever given. */
  get(hash: string): Buffer {
    const file = this.#fileOf(hash)
    let bytes: Buffer
    try {
      bytes = brotliDecompressSync(readFileSync(file), { maxOutputLength: PIECE })
    } catch (error) {
      throw damaged(file, isMissing(error) ? 'is missing' : 'cannot be unpacked', error)
    }
    if (hashOf(bytes) !== hash) throw damaged(file, 'is not what was written')
    return bytes
  }

  /** Removes all that nobody needs any more. Returns the bytes that were freed. */
  sweep(needed: ReadonlySet<string>): number {
    let freed = 0
    for (const two of namesIn(this.#folder)) {
      for (const name of namesIn(join(this.#folder, two))) {
        if (needed.has(name)) continue
        const file = join(this.#folder, two, name)
        freed += statSync(file, { throwIfNoEntry: false })?.size ?? 0
        rmSync(file, { force: true })
      }
    }
    return freed
  }

  #fileOf(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`"${hash}" is not a hash`)
    return join(this.#folder, hash.slice(0, 2), hash)
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function damaged(file: string, what: string, cause?: unknown): IonError {
  return new IonError('failed', `the vault is damaged: ${file} ${what}`, {
    cause,
    hint: 'ion capture --verify names all that is damaged; ion capture <id> copies a session anew that its agent still has',
  })
}
