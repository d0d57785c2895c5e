import { parseQueryText } from '../../../catalog/search/parse-query.ts'
import { TextMatcher } from '../../../catalog/search/text-query.ts'
import type { Io } from '../../../platform/io.ts'
import { lessPattern, markLine } from '../../mark-line.ts'

/** The words to mark. */
export interface Mark {
  /** The line with each of them painted. */
  paint(line: string, paint: (text: string) => string): string
  /** Finds them in the pager. */
  readonly pattern: string
}

/** Of `--mark`; undefined if the query has no words. Throws `usage` if it is not a query. */
export function parseMark(query: string, io: Io): Mark | undefined {
  const parts = parseQueryText(query, io)
  if (parts.wanted.length === 0) return undefined
  const matcher = new TextMatcher(parts)
  return { paint: (line, paint) => markLine(line, matcher, paint), pattern: lessPattern(parts.wanted) }
}
