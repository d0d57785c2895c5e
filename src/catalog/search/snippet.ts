import type { Range } from './term.ts'
import type { TextMatcher } from './text-query.ts'

export interface Snippet {
  readonly snippet: string
  readonly marks: readonly Range[]
}

const WIDTH = 160

/** One line around the first match, with all matches in it marked. */
export function makeSnippet(text: string, matcher: TextMatcher): Snippet {
  const first = matcher.ranges(text)[0]?.[0] ?? 0
  const from = Math.max(0, first - WIDTH / 3)
  const cut = text.slice(from, from + WIDTH * 2)
  const line = cut.replace(/\s+/g, ' ').trim().slice(0, WIDTH)
  const snippet = `${from > 0 ? '…' : ''}${line}${from + WIDTH < text.length ? '…' : ''}`
  return { snippet, marks: matcher.ranges(snippet) }
}
