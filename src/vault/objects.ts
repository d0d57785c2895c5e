import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { replaceFile } from '../platform/atomic-file.ts'
import { IonError, isDiskFull, isMissing, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { listNames } from '../platform/list-dir.ts'
import { objectsFolder } from './vault-paths.ts'

/** A file is kept in pieces of this size, so that one that has grown shares all but its last with what was kept before. */
export const PIECE = 1024 * 1024
/** As quick as it gets: three times as quick as the least that gzip does, and smaller. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Ends the name of a piece that stands there as it is. */
const PLAIN = '.plain'

/** So much is packed in one go: a second or less. */
const BUDGET = 64 * 1024 * 1024

/**
 * Pieces of content by the hash of what is in them: the same content is there once, however many sessions have it. Plain
 * at first where it is likely to change or to be wanted soon: unpacking takes four times as long as all else in a restore.
 */
export class Objects {
  readonly #folder: string

  constructor(io: Io) {
    this.#folder = objectsFolder(io)
  }

  /** On the disk when this returns. What is there already is read back only where it is doubted. */
  put(bytes: Uint8Array, { isPlain = false, isDoubted = false } = {}): string {
    const hash = hashOf(bytes)
    const { plain, packed } = this.#filesOf(hash)
    const isThere = isDoubted ? this.isGood(hash) : existsSync(plain) || existsSync(packed)
    if (isThere) return hash
    if (isPlain) replaceFile(plain, bytes)
    else this.#pack(bytes, hash)
    return hash
  }

  /** Packs what was put there before that time, as much as can be done in a moment. Gives what is wrong with the rest. */
  pack(before: number): string[] {
    const problems: string[] = []
    let done = 0
    for (const two of listNames(this.#folder)) {
      for (const name of listNames(join(this.#folder, two))) {
        const stat = name.endsWith(PLAIN) ? statSync(join(this.#folder, two, name)) : undefined
        if (!stat || stat.mtimeMs >= before) continue
        if (done >= BUDGET) return problems
        done += stat.size
        const hash = name.slice(0, -PLAIN.length)
        try {
          this.#pack(this.get(hash), hash)
        } catch (error) {
          problems.push(messageOf(error))
          // The next would fare no better.
          if (isDiskFull(error)) return problems
        }
      }
    }
    return problems
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
    const { plain, packed } = this.#filesOf(hash)
    const bytes = plainContent(plain)
    if (bytes) return checked(bytes, hash, plain)
    let unpacked: Buffer
    try {
      unpacked = brotliDecompressSync(readFileSync(packed), { maxOutputLength: PIECE })
    } catch (error) {
      throw damaged(packed, isMissing(error) ? 'is missing' : 'cannot be unpacked', error)
    }
    return checked(unpacked, hash, packed)
  }

  /** Removes all that nobody needs any more. Returns the bytes that were freed. */
  sweep(needed: ReadonlySet<string>): number {
    let freed = 0
    for (const two of listNames(this.#folder)) {
      for (const name of listNames(join(this.#folder, two))) {
        if (needed.has(name.replace(PLAIN, ''))) continue
        const file = join(this.#folder, two, name)
        freed += statSync(file, { throwIfNoEntry: false })?.size ?? 0
        rmSync(file, { force: true })
      }
    }
    return freed
  }

  /** Whoever looks meanwhile finds the one or the other. */
  #pack(bytes: Uint8Array, hash: string): void {
    const { plain, packed } = this.#filesOf(hash)
    replaceFile(packed, brotliCompressSync(bytes, packing))
    rmSync(plain, { force: true })
  }

  #filesOf(hash: string): { readonly plain: string; readonly packed: string } {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`"${hash}" is not a hash`)
    const packed = join(this.#folder, hash.slice(0, 2), hash)
    return { packed, plain: packed + PLAIN }
  }
}

/** Undefined where it is not there, or is there packed. */
function plainContent(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw damaged(file, 'cannot be read', error)
  }
}

function checked(bytes: Buffer, hash: string, file: string): Buffer {
  if (hashOf(bytes) !== hash) throw damaged(file, 'is not what was written')
  return bytes
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
