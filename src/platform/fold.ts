/**
 * Text as search compares it: lower case, Latin, Greek and Cyrillic letters without accents. The length stays the same, so
 * that an offset in the folded text is an offset in the text.
 */
export function fold(text: string): string {
  // At the end of a word it has a form of its own.
  const lower = lowerCase(text).replaceAll('ς', 'σ')
  const simple = lower.length === text.length ? lower : text.replace(/./gsu, foldLetter)
  // Only letters beyond ASCII can carry an accent.
  return simple.replace(/[\u00c0-\u04ff\u1e00-\u1fff]/g, foldLetter)
}

/** The signs of Kelvin and Ångström, whose lower case are letters of other alphabets: they are only themselves. */
const SIGNS = /[\u212a\u212b]/

function lowerCase(text: string): string {
  return SIGNS.test(text) ? text.replace(/[^\u212a\u212b]+/g, (part) => part.toLowerCase()) : text.toLowerCase()
}

/** An accent that is a character of its own follows its letter. Signs such as ≠ are not letters with an accent. */
const ACCENTED = /^(\p{L})[\u0300-\u036f]+$/su

export function foldLetter(letter: string): string {
  if (SIGNS.test(letter)) return letter
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
