/**
 * Text as search compares it: lower case, Latin, Greek and Cyrillic letters without accents. The length stays the same, so
 * that an offset in the folded text is an offset in the text.
 */
export function fold(text: string): string {
  // At the end of a word it has a form of its own.
  const lower = text.toLowerCase().replaceAll('ς', 'σ')
  const simple = lower.length === text.length ? lower : text.replace(/./gsu, foldLetter)
  // Only letters beyond ASCII can carry an accent.
  return simple.replace(/[\u00c0-\u04ff\u1e00-\u1fff]/g, foldLetter)
}

/** An accent that is a character of its own follows its letter. */
const ACCENTED = /^(.)[\u0300-\u036f]+$/s

export function foldLetter(letter: string): string {
  const base = ACCENTED.exec(letter.normalize('NFD'))?.[1] ?? letter
  const lower = base.toLowerCase().replace('ς', 'σ')
  return lower.length === letter.length ? lower : letter
}

/** Accents as characters of their own, for a class of characters. */
export const ACCENTS = '\u0300-\u036f'

export function withoutAccents(text: string): string {
  return text.replace(/[\u0300-\u036f]/g, '')
}

/**
 * For finding by comparing strings: a text contains a word, as search sees it, if the form of the text contains the form of
 * the word.
 */
export function searchForm(text: string): string {
  return withoutAccents(fold(text)).replace(/\s+/g, ' ')
}
