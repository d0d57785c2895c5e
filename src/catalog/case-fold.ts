/**
 * Letters as the full-text index compares them: lower case, without accents. One character for each character of the
 * text, so that a place in the folded text is a place in the text.
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

/** Places where any of the words or phrases stands in the text, in order, not overlapping. Words must begin a word. */
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

/** The words of a term as the index splits them, with anything that is no word in between. */
export function wordsOf(term: string): string[] {
  return fold(term).match(/[\p{L}\p{N}\p{Co}\p{M}]+/gu) ?? []
}

function termPattern(term: string): RegExp | undefined {
  const words = wordsOf(term)
  if (words.length === 0) return undefined
  const WORD = '[\\p{L}\\p{N}\\p{Co}\\p{M}]'
  return new RegExp(`(?<!${WORD})${words.join(`(?:(?!${WORD})[^])+`)}(?!${WORD})`, 'gu')
}
