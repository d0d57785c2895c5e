import type { SearchHit } from '../catalog/search-query.ts'
import { plain } from '../platform/plain-text.ts'
import { fit } from './text.ts'
import { width } from './width.ts'

/** Words before the first match that are kept when the line is too short for all. */
const LEAD = 12

/** A hit's snippet on one line of at most `columns`, its words marked; begins near the first of them. */
export function markedLine(
  { snippet, marks }: Pick<SearchHit, 'snippet' | 'marks'>,
  columns: number,
  paint: (text: string) => string,
): string {
  const first = marks[0]?.[0] ?? 0
  let at = width(snippet) <= columns ? 0 : Math.max(0, Math.min(first - LEAD, snippet.length - columns))
  let left = columns
  let line = ''
  const take = (text: string, how: (text: string) => string): void => {
    const shown = fit(plain(text).replace(/\s+/g, ' '), left)
    left -= width(shown)
    line += how(shown)
  }
  for (const [start, end] of marks) {
    if (start < at || left <= 0) continue
    take(snippet.slice(at, start), (text) => text)
    take(snippet.slice(start, end), paint)
    at = end
  }
  take(snippet.slice(at), (text) => text)
  return line
}
