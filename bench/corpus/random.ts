// Numbers from a seed (sfc32): the same seed gives the same corpus, byte for byte.

const HEX = '0123456789abcdef'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 32 random bits with each call. */
export function bits(seed: number): () => number {
  let a = 0x9e3779b9 ^ seed
  let b = 0x243f6a88
  let c = 0xb7e15162
  let d = seed | 1
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  for (let i = 0; i < 16; i++) next()
  return next
}

/** Everything random that a corpus needs. The order of calls is part of the result. */
export interface Random {
  next(): number
  fraction(): number
  pick<T>(list: ArrayLike<T>): T
  hex(length: number): string
  /** Both ends included. */
  integer(low: number, high: number): number
  uuid(): string
  letters(length: number): string
  /** Log-normal: most are near the median, a few are very large. */
  size(median: number, sigma: number): number
}

export function makeRandom(seed: number): Random {
  const next = bits(seed)
  const fraction = (): number => next() / 4294967296
  const repeat = (length: number, letter: () => string): string => {
    let text = ''
    for (let i = 0; i < length; i++) text += letter()
    return text
  }
  const hex = (length: number): string => repeat(length, () => HEX[next() & 15]!)
  const pick = <T>(list: ArrayLike<T>): T => list[next() % list.length]!
  return {
    next,
    fraction,
    pick,
    hex,
    integer: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick('89ab')}${hex(3)}-${hex(12)}`,
    letters: (length) => repeat(length, () => LETTERS[next() % 62]!),
    size: (median, sigma) => {
      const u = Math.max(fraction(), 1e-9)
      const v = fraction()
      return Math.round(median * Math.exp(sigma * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)))
    },
  }
}
