import { ACCENTS, fold, withoutAccents } from '../../platform/fold.ts'

/** A word, a phrase or a regular expression of a query. */
export type Term = { readonly text: string } | { readonly regex: string }

/** Ranges of a text, as offsets. */
export type Range = readonly [start: number, end: number]

/**
 * Finds a term in a text. Words and phrases match anywhere, also within a word; case and accents are ignored, and any
 * white space matches any other.
 */
export class TermMatcher {
  readonly #pattern: RegExp
  readonly #folds: boolean

  constructor(term: Term) {
    this.#folds = 'text' in term
    this.#pattern = 'text' in term ? textPattern(fold(term.text)) : new RegExp(term.regex, 'gimu')
  }

  /** `folded` is the folded text. */
  test(text: string, folded: string): boolean {
    this.#pattern.lastIndex = 0
    return this.#pattern.test(this.#folds ? folded : text)
  }

  *ranges(text: string, folded: string): Generator<Range> {
    this.#pattern.lastIndex = 0
    for (const match of (this.#folds ? folded : text).matchAll(this.#pattern)) {
      if (match[0] !== '') yield [match.index, match.index + match[0].length]
    }
  }
}

/** Of a folded text, which may have accents as characters of their own. */
function textPattern(term: string): RegExp {
  const parts = wordsOf(term).map((word) => [...word].map(escapeLetter).join(`[${ACCENTS}]*`))
  return new RegExp(parts.join('\\s+'), 'gu')
}

function wordsOf(term: string): string[] {
  return withoutAccents(term).trim().split(/\s+/)
}

function escapeLetter(letter: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(letter) ? `\\${letter === '-' ? 'x2d' : letter}` : letter
}

/** In JSON, also in JSON that is a string in JSON: how characters may be written that are not written as they are. */
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\\\*"', '\\': '\\\\+', '/': '\\\\*\\/' }
/** Of UTF-8 each byte is a character here, and beyond ASCII there are many kinds of white space. */
const ESCAPED_SPACE = '(?:[\\s\\x80-\\xff]|\\\\+(?:[nrtf]|u[0-9a-f]{4}))+'

/**
 * Matches a line of JSON in which a string may contain the term: it is only a quick test before the line is parsed. Case
 * is ignored; accents are not.
 */
export function jsonPattern(text: string): RegExp {
  const words = wordsOf(fold(text)).map((word) => [...word].map(jsonLetter).join(''))
  return new RegExp(words.join(ESCAPED_SPACE), 'i')
}

function jsonLetter(letter: string): string {
  if (ESCAPES[letter] !== undefined) return ESCAPES[letter]
  // Control characters are always escaped, these others by some programs.
  const mayBeEscaped = /[\0-\x1f<>&'\x7f-\uffff]/.test(letter)
  return mayBeEscaped ? `(?:${escapeLetter(letter)}|\\\\+(?:[bfnrt]|u[0-9a-f]{4}))` : escapeLetter(letter)
}
