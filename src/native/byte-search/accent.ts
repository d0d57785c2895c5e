import { foldLetter } from '../../platform/fold.ts'
import type { Needle } from './needle.ts'

const BACKSLASH = 0x5c
const ACCENT = 0

/**
 * Whether a text with one of the needles, some of its letters with accents, may be around this place, which the kernel's
 * `findAccent` has found: the letter there and those next to it fit.
 */
export function accentFinder(needles: readonly Needle[]): AccentFinder {
  const known = finders.get(needles) ?? makeFinder(needles)
  finders.set(needles, known)
  return known
}

type AccentFinder = (bytes: Buffer, at: number) => boolean

/** The same needles are looked for in very many files. */
const finders = new WeakMap<readonly Needle[], AccentFinder>()

function makeFinder(needles: readonly Needle[]): AccentFinder {
  const places = new Map<number, { before: number; after: number }[]>()
  for (const { bytes } of needles) {
    for (const [at, byte] of bytes.entries()) {
      const around = { before: bytes[at - 1] ?? -1, after: bytes[at + 1] ?? -1 }
      places.set(byte, [...(places.get(byte) ?? []), around])
    }
  }
  const fits = (byte: number, wanted: number): boolean =>
    wanted < 0 || byte >= 0x80 || byte === BACKSLASH || (byte | 0x20) === wanted || byte === wanted
  return (bytes, at) => {
    if (bytes[at] === BACKSLASH) return true
    const { letter, length } = letterAt(bytes, at)
    // A separate accent, after its letter.
    if (letter === ACCENT) {
      const base = bytes[at - 1]!
      const around = [...(places.get(base) ?? []), ...(places.get(base | 0x20) ?? [])]
      return base >= 0x80 || around.some(({ after }) => fits(bytes[at + length]!, after))
    }
    const around = places.get(letter) ?? []
    return around.some(({ before, after }) => fits(bytes[at - 1]!, before) && fits(bytes[at + length]!, after))
  }
}

/** What a letter of two or three bytes is folded to; ACCENT for a separate accent. */
function letterAt(bytes: Buffer, at: number): { letter: number; length: number } {
  const [first, second, third] = [bytes[at]!, bytes[at + 1]! & 0x3f, bytes[at + 2]! & 0x3f]
  const length = first < 0xe0 ? 2 : 3
  const code = length === 2 ? ((first & 0x1f) << 6) | second : ((first & 0x0f) << 12) | (second << 6) | third
  return { letter: baseOf(code), length }
}

const bases = new Map<number, number>()

function baseOf(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return ACCENT
  const known = bases.get(code)
  if (known !== undefined) return known
  const base = foldLetter(String.fromCharCode(code)).charCodeAt(0)
  bases.set(code, base)
  return base
}
