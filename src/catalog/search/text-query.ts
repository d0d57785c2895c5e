import type { LineFilter } from '../../native/byte-search/matching-lines.ts'
import { type Needle, needlesOf } from '../../native/byte-search/needle.ts'
import { fold, withoutAccents } from '../../platform/fold.ts'
import { jsonPattern, type Range, type Term, TermMatcher } from './term.ts'

/** What a text must contain: of each group one term, and no excluded term. */
export interface TextQuery {
  readonly wanted: readonly (readonly Term[])[]
  readonly excluded: readonly Term[]
}

export class TextMatcher {
  readonly #wanted: readonly (readonly TermMatcher[])[]
  readonly #excluded: readonly TermMatcher[]

  constructor({ wanted, excluded }: TextQuery) {
    this.#wanted = wanted.map((group) => group.map((term) => new TermMatcher(term)))
    this.#excluded = excluded.map((term) => new TermMatcher(term))
  }

  matches(text: string): boolean {
    const folded = fold(text)
    const has = (matcher: TermMatcher): boolean => matcher.test(text, folded)
    return this.#wanted.every((group) => group.some(has)) && !this.#excluded.some(has)
  }

  /** What matches, in order, not overlapping. */
  ranges(text: string): Range[] {
    const folded = fold(text)
    const found = this.#wanted.flat().flatMap((matcher) => [...matcher.ranges(text, folded)])
    found.sort((a, b) => a[0] - b[0] || b[1] - a[1])
    let end = 0
    return found.filter((range) => {
      const isFree = range[0] >= end
      if (isFree) end = range[1]
      return isFree
    })
  }
}

/** Recognises lines that may contain the texts, by their bytes. */
export function lineFilter({ wanted }: TextQuery): LineFilter {
  const groups = wanted.map((group) => group.map((term) => ('text' in term ? jsonPattern(term.text) : /^/)))
  const isPlain = wanted.flat().every((term) => 'text' in term && /^[\0-\x7f]*$/.test(term.text))
  const passes = (text: string): boolean => groups.every((group) => group.some((pattern) => pattern.test(text)))
  return {
    needles: bestNeedles(wanted),
    test(line) {
      const bytes = line.latin1 ?? line.buffer.toString('latin1', line.start, line.end)
      if (isPlain && passes(bytes)) return true
      if (isPlain && !MAY_HAVE_ACCENT.test(bytes)) return false
      return ESCAPED.test(bytes) || passes(withoutAccents(fold(line.buffer.toString('utf8', line.start, line.end))))
    },
  }
}

const MAY_HAVE_ACCENT = /[\xc3-\xcd\xe1]|\\u(?!00[01])/
const ESCAPED = /\\u(?!00[01])/

/** Of the group whose shortest needle is the longest: it is found the least. */
function bestNeedles(wanted: TextQuery['wanted']): readonly Needle[] | undefined {
  let best: { readonly needles: readonly Needle[]; readonly length: number } | undefined
  for (const group of wanted) {
    const found = group.map((term) => ('text' in term ? needlesOf(term.text) : undefined))
    if (!found.every((needles) => needles !== undefined)) continue
    const needles = found.flat()
    const length = Math.min(...needles.map(({ bytes }) => bytes.length))
    if (!best || length > best.length) best = { needles, length }
  }
  return best?.needles
}
