import { foldLetter } from '../../platform/fold.ts'
import { LETTERS, POSITIONS } from './kernel.ts'
import type { Needle } from './needle.ts'

const BACKSLASH = 0x5c
const ALL = 2n ** 64n - 1n
/** In the table of letters: an accent that is a character of its own, and what is not an accented letter of ASCII. */
const ACCENT = 0
const OTHER = 0xff

/** Where letters are in needles, as the kernel's `findAccent` takes it. */
export interface AccentTable {
  /** For each byte the positions at which it may be. */
  readonly positions: BigUint64Array
  /** The positions at which a needle begins, and ends. */
  readonly first: bigint
  readonly last: bigint
}

/** Positions are counted through all needles, modulo 64: in long ones a letter may be thought to fit where it does not. */
export function accentTable(needles: readonly Needle[]): AccentTable {
  const known = tables.get(needles) ?? makeTable(needles)
  tables.set(needles, known)
  return known
}

/** The same needles are looked for in very many files. */
const tables = new WeakMap<readonly Needle[], AccentTable>()

function makeTable(needles: readonly Needle[]): AccentTable {
  const positions = new BigUint64Array(256)
  let [first, last, at] = [0n, 0n, 0]
  const bit = (place: number): bigint => 1n << BigInt(place % 64)
  for (const { bytes } of needles) {
    first |= bit(at)
    for (const byte of bytes) {
      positions[byte]! |= bit(at)
      if (byte & 0x20) positions[byte & ~0x20]! |= bit(at)
      at++
    }
    last |= bit(at - 1)
  }
  // Next to an accented letter there may be another one.
  positions.fill(ALL, 0x80)
  positions[BACKSLASH] = ALL
  return { positions, first, last }
}

/** Writes the table of what letters are without their accents into the kernel's memory. */
export function writeLetters(memory: Buffer): void {
  const codes = [...range(0xc0, 0x380), ...range(0x1e00, 0x2000)]
  memory.set(codes.map(baseOf), LETTERS)
}

export function writeTable({ positions }: AccentTable, memory: Buffer): void {
  memory.set(new Uint8Array(positions.buffer), POSITIONS)
}

function baseOf(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return ACCENT
  const base = foldLetter(String.fromCharCode(code)).charCodeAt(0)
  return base < 0x80 ? base : OTHER
}

function* range(from: number, to: number): Generator<number> {
  for (let code = from; code < to; code++) yield code
}
