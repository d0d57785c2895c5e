import { parseQueryText } from '../../src/catalog/search/parse-query.ts'
import type { SearchQuery } from '../../src/catalog/search/query.ts'

/** A query as it would be typed. */
export function searchFor(text: string, rest: Partial<SearchQuery> = {}): SearchQuery {
  const parts = parseQueryText(text, { now: () => new Date(), cwd: '/', home: '/home/dev' })
  return { ...parts, order: 'newest', limit: 20, ...rest }
}
