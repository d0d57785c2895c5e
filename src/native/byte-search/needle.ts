import { fold, foldLetter, withoutAccents } from '../../platform/fold.ts'
import { MAX_NEEDLE } from './kernel.ts'

/** Bytes to look for. Letters of ASCII match in either case. */
export interface Needle {
  /** In lower case. */
  readonly bytes: Buffer
  /** What a byte is OR-ed with before it is compared: 0x20 for a letter. */
  readonly masks: Buffer
  /** The places of its two rarest bytes. */
  readonly rare: readonly [number, number]
}

/** From common to rare, in source code, prose and JSON. All others are rarer. */
const COMMON = ' etaoinsrlcdupmhfg,"_.by0:-1v2w=/34x5689k7()*'

function makeNeedle(text: string): Needle {
  const bytes = Buffer.from(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())).subarray(0, MAX_NEEDLE)
  const masks = Buffer.from(bytes.map((byte) => (byte >= 0x61 && byte <= 0x7a ? 0x20 : 0)))
  const rarity = (place: number): number => {
    const known = COMMON.indexOf(String.fromCharCode(bytes[place]!))
    return known < 0 ? COMMON.length : known
  }
  const [a = 0, b = a] = [...bytes.keys()].sort((x, y) => rarity(y) - rarity(x))
  return { bytes, masks, rare: [a, b] }
}

/** Other characters are written as they are in JSON, or have no other case. */
const PLAIN = /[!#$%()*+,\-.0-9:;=?@A-Z[\]^_`a-z{|}~]/

/**
 * The bytes of which a text with this term contains at least one sequence, apart from Latin letters with accents, which
 * `mayHaveAccent` covers. Undefined if nothing can be said: then all of a file has to be decoded.
 */
export function needlesOf(term: string): readonly Needle[] | undefined {
  const folded = withoutAccents(fold(term))
  const best = longest(runsOf(folded))
  if (best !== undefined) return [best, ...escaped(best)].map(makeNeedle)
  const pair = fewest(casedPairs(folded))
  return pair?.flatMap((text) => [text, ...escaped(text)]).map(makeNeedle)
}

/** Sequences of characters that have one way to be written. */
function runsOf(term: string): string[] {
  const runs: string[] = ['']
  for (const letter of term) {
    if (isUnambiguous(letter)) runs[runs.length - 1] += letter
    else runs.push('')
  }
  return runs.filter((run) => run !== '')
}

function isUnambiguous(letter: string): boolean {
  if (letter <= '\x7f') return PLAIN.test(letter)
  return letter.toUpperCase() === letter.toLowerCase() && letter.normalize('NFD') === letter && !/\s/.test(letter)
}

function longest(texts: readonly string[]): string | undefined {
  return texts.toSorted((a, b) => Buffer.byteLength(b) - Buffer.byteLength(a))[0]
}

/** The first character beyond ASCII as a JSON escape, in which some programs write it. */
function escaped(text: string): string[] {
  const [letter] = /[^\0-\x7f]/u.exec(text) ?? []
  if (letter === undefined) return []
  return [`\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`]
}

const MAX_VARIANTS = 24

/** Two letters next to each other, or one alone, in each way to write them. */
function casedPairs(term: string): (readonly string[])[] {
  const letters = [...term].filter((letter) => letter > '\x7f' && /\p{L}/u.test(letter))
  const pairs = [...term].flatMap((first, at) => {
    const second = [...term][at + 1]
    if (second === undefined || first <= '\x7f' || second <= '\x7f') return []
    return [variantsOf(first).flatMap((one) => variantsOf(second).map((other) => one + other))]
  })
  return [...pairs, ...letters.map(variantsOf)].filter((variants) => variants.length <= MAX_VARIANTS)
}

function fewest(choices: readonly (readonly string[])[]): readonly string[] | undefined {
  return choices.toSorted((a, b) => a.length / a[0]!.length ** 3 - b.length / b[0]!.length ** 3)[0]
}

/** Everything that is folded to this letter. */
function variantsOf(letter: string): readonly string[] {
  if (variants.size === 0)
    for (const other of foldable()) {
      const base = foldLetter(other)
      if (base !== other) variants.set(base, [...(variants.get(base) ?? [base]), other])
    }
  return variants.get(letter) ?? [letter]
}

const variants = new Map<string, string[]>()

/** Where letters with case or accents are. */
const FOLDABLE = [
  ...[0x80, 0x2fff, 0xa640, 0xabff, 0xfb00, 0xffff, 0x10400, 0x10dff],
  ...[0x11800, 0x118ff, 0x16e00, 0x16eff, 0x1df00, 0x1e9ff],
]

function* foldable(): Generator<string> {
  for (let at = 0; at < FOLDABLE.length; at += 2)
    for (let code = FOLDABLE[at]!; code <= FOLDABLE[at + 1]!; code++) yield String.fromCodePoint(code)
}
