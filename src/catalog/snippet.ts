import { findTerms } from './case-fold.ts'

export interface Snippet {
  readonly snippet: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

const WIDTH = 160

/** One line around the first place where the terms stand, with all places in it marked. */
export function makeSnippet(text: string, terms: readonly string[]): Snippet {
  const first = findTerms(text, terms)[0]?.[0] ?? 0
  const from = Math.max(0, first - WIDTH / 3)
  const cut = text.slice(from, from + WIDTH * 2)
  const line = cut.replace(/\s+/g, ' ').trim().slice(0, WIDTH)
  const snippet = `${from > 0 ? '…' : ''}${line}${from + WIDTH < text.length ? '…' : ''}`
  return { snippet, marks: findTerms(snippet, terms) }
}
