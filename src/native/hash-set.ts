import { hash53 } from '../platform/hash.ts'

/** A Set of V8 throws beyond 16.7 million entries. */
const MAX_ENTRIES = 2 ** 23

/**
 * A set of strings that keeps 53 bits of each instead of the string: a session of millions of records still fits.
 * Among ten million strings, the chance of any collision is about one in two hundred.
 */
export class HashSet {
  /** More than one only for a huge session. */
  readonly #sets = [new Set<number>()]

  /** False if it was already in the set. */
  add(text: string): boolean {
    return this.addHash(hash53(text))
  }

  /** The same with a hash that the caller already has. */
  addHash(hash: number): boolean {
    if (this.hasHash(hash)) return false
    if (this.#sets.at(-1)!.size >= MAX_ENTRIES) this.#sets.push(new Set())
    this.#sets.at(-1)!.add(hash)
    return true
  }

  delete(text: string): void {
    const hash = hash53(text)
    for (const set of this.#sets) set.delete(hash)
  }

  has(text: string): boolean {
    return this.hasHash(hash53(text))
  }

  hasHash(hash: number): boolean {
    for (const set of this.#sets) if (set.has(hash)) return true
    return false
  }
}
