import { hash53 } from '../platform/hash.ts'

/**
 * A set of strings that keeps 53 bits of each instead of the string: a session of millions of records still fits.
 * Two strings in ten million clash with a chance of about one in two hundred.
 */
export class HashSet {
  // One Set of V8 holds 16.7 million entries and then throws.
  readonly #shards = Array.from({ length: 16 }, () => new Set<number>())

  /** Adds; false when it was there already. */
  add(text: string): boolean {
    const hash = hash53(text)
    const shard = this.#shards[hash % 16]!
    if (shard.has(hash)) return false
    shard.add(hash)
    return true
  }

  has(text: string): boolean {
    const hash = hash53(text)
    return this.#shards[hash % 16]!.has(hash)
  }
}
