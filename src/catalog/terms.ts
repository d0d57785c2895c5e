/**
 * Text as the full-text index compares it: lower case, without accents. The length stays the same, so that an offset in
 * the folded text is an offset in the text.
 */
function fold(text: string): string {
  const lower = text.toLowerCase()
  const simple = lower.length === text.length ? lower : [...text].map(foldLetter).join('')
  // Only letters beyond ASCII can carry an accent.
  return simple.replace(/[\u0080-\uffff]/g, foldLetter)
}

function foldLetter(letter: string): string {
  const base = letter.normalize('NFD')[0]?.toLowerCase() ?? letter
  return base.length === letter.length ? base : letter
}

/** Ranges of the text that match any of the words or phrases, in order, not overlapping. */
export function findTerms(text: string, terms: readonly string[]): [start: number, end: number][] {
  const folded = fold(text)
  const found: [number, number][] = []
  for (const term of terms) {
    const pattern = termPattern(term)
    if (!pattern) continue
    for (const match of folded.matchAll(pattern)) found.push([match.index, match.index + match[0].length])
  }
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  return found.filter(([start], index) => index === 0 || start >= found[index - 1]![1])
}

/** The words of a term, split as the full-text index does. */
export function wordsOf(term: string): string[] {
  return fold(term).match(/[\p{L}\p{N}\p{Co}\p{M}]+/gu) ?? []
}

function termPattern(term: string): RegExp | undefined {
  const words = wordsOf(term)
  if (words.length === 0) return undefined
  const WORD = '[\\p{L}\\p{N}\\p{Co}\\p{M}]'
  return new RegExp(`(?<!${WORD})${words.join(`(?:(?!${WORD})[^])+`)}(?!${WORD})`, 'gu')
}

export interface Snippet {
  readonly snippet: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

const WIDTH = 160

/** One line around the first match of the terms, with all matches in it marked. */
export function makeSnippet(text: string, terms: readonly string[]): Snippet {
  const first = findTerms(text, terms)[0]?.[0] ?? 0
  const from = Math.max(0, first - WIDTH / 3)
  const cut = text.slice(from, from + WIDTH * 2)
  const line = cut.replace(/\s+/g, ' ').trim().slice(0, WIDTH)
  const snippet = `${from > 0 ? '…' : ''}${line}${from + WIDTH < text.length ? '…' : ''}`
  return { snippet, marks: findTerms(snippet, terms) }
}
