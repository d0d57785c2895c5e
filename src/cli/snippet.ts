import type { SearchHit } from '../catalog/search/query.ts'
import { plain } from '../platform/plain-text.ts'
import { fit, width } from './text.ts'

/** Characters to keep before the first match if the line is too short for all. */
const LEAD = 12

/** A hit's snippet on one line of up to `columns`, with the matches marked; begins near the first of them. */
export function markedLine(
  { snippet, marks }: Pick<SearchHit, 'snippet' | 'marks'>,
  columns: number,
  paint: (text: string) => string,
  paintRest: (text: string) => string = (text) => text,
): string {
  const first = marks[0]?.[0] ?? 0
  let at = width(snippet) <= columns ? 0 : wordFrom(snippet, Math.min(first - LEAD, snippet.length - columns), first)
  let line = at > 0 ? paintRest('…') : ''
  let left = columns - (at > 0 ? 1 : 0)
  const take = (text: string, how: (text: string) => string): void => {
    const shown = fit(plain(text).replace(/\s+/g, ' '), left)
    left -= width(shown)
    line += how(shown)
  }
  for (const [start, end] of marks) {
    if (start < at || left <= 0) continue
    take(snippet.slice(at, start), paintRest)
    take(snippet.slice(start, end), paint)
    at = end
  }
  take(snippet.slice(at), paintRest)
  return line
}

/** Where the first complete word after `from` begins, unless that is after `most`. */
function wordFrom(text: string, from: number, most: number): number {
  if (from <= 0) return 0
  const blank = text.indexOf(' ', from - 1)
  return blank < 0 || blank >= most ? from : blank + 1
}
