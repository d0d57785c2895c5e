import type { Found } from './found.ts'

/** Shorter ones would be found in ordinary text. */
const SHORTEST = 8
/** Up to so many are searched for one by one, which is fastest. */
const FEW = 6
const MAX_KNOWN = 2000
const LONGEST = 400

/** Secrets that their context revealed once, to be masked wherever else they are. */
export class KnownSecrets {
  readonly #kinds = new Map<string, string>()
  /** By the hash of their first characters. */
  readonly #byHash = new Map<number, string[]>()
  /** Which hashes there are, by their last bits: a cheap check for every character. */
  readonly #bits = new Uint8Array(1 << 16)

  get size(): number {
    return this.#kinds.size
  }

  add(secret: string, kind: string): void {
    if (secret.length < SHORTEST || secret.length > LONGEST || this.#kinds.has(secret) || this.#kinds.size >= MAX_KNOWN)
      return
    // A copy, so that the whole text is not kept in memory.
    const copy = Buffer.from(secret).toString()
    this.#kinds.set(copy, kind)
    let hash = 0
    for (let i = 0; i < SHORTEST; i++) hash = (Math.imul(hash, BASE) + copy.charCodeAt(i)) | 0
    const same = [...(this.#byHash.get(hash) ?? []), copy].sort((a, b) => b.length - a.length)
    this.#byHash.set(hash, same)
    this.#bits[hash & 0xffff] = 1
  }

  find(text: string, found: Found[]): void {
    if (this.#kinds.size === 0) return
    if (this.#kinds.size <= FEW) {
      for (const [secret, kind] of this.#kinds) {
        for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
          found.push({ start: at, end: at + secret.length, kind })
        }
      }
      return
    }
    // A rolling hash: one pass, however many secrets there are.
    const bits = this.#bits
    let hash = 0
    for (let i = 0; i < text.length; i++) {
      hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0
      if (i >= SHORTEST) hash = (hash - Math.imul(text.charCodeAt(i - SHORTEST), TOP)) | 0
      if (bits[hash & 0xffff] === 0 || i < SHORTEST - 1) continue
      const candidates = this.#byHash.get(hash)
      if (candidates === undefined) continue
      const start = i - SHORTEST + 1
      const secret = candidates.find((one) => text.startsWith(one, start))
      if (secret !== undefined) found.push({ start, end: start + secret.length, kind: this.#kinds.get(secret)! })
    }
  }
}

const BASE = 1_000_003
/** BASE to the power of SHORTEST: the weight of the character that leaves the window. */
const TOP = Array.from({ length: SHORTEST }).reduce<number>((power) => Math.imul(power, BASE), 1)
