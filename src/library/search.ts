import type { Role } from '../agents/passage.ts'
import { isEmptyQuery, parseQuery, parseQueryText } from '../catalog/search/parse-query.ts'
import type { SearchHit, SearchQuery, SearchSummary } from '../catalog/search/query.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { finish, Pace } from '../platform/pace.ts'
import { type FilterOptions, filterOf, ioOf } from './options.ts'
import { openIndex } from './session.ts'

export interface SearchOptions extends FilterOptions {
  /** Maximum number of sessions; 20 by default. */
  readonly limit?: number
  /** Only in user prompts, assistant messages, and so on. */
  readonly roles?: readonly Role[]
  readonly order?: 'newest' | 'rank'
  /** Called at the end with the number of sessions that were searched, and what could not be. */
  readonly onSummary?: (summary: SearchSummary) => void
}

const DEFAULT_LIMIT = 20

/**
 * Sessions that match, newest first, one hit each. The query is written as on the command line (docs/search.md); an array
 * is treated as command-line arguments. The list of sessions is updated first.
 */
export async function* search(
  query: string | readonly string[],
  options: SearchOptions = {},
): AsyncGenerator<SearchHit, void, undefined> {
  const io = ioOf(options)
  const { signal, onSummary } = options
  const parsed = queryOf(query, options, io)
  const pace = new Pace(signal)
  const catalog = openIndex({}, io)
  try {
    await finish(catalog.refreshSteps(), signal)
    const steps = catalog.searchSteps(parsed)
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      if (pace.isDue) await pace.turn()
      if (step.value) yield step.value
    }
    onSummary?.(step.value)
  } finally {
    catalog.close()
  }
}

function queryOf(query: string | readonly string[], options: SearchOptions, io: Io): SearchQuery {
  const parts = typeof query === 'string' ? parseQueryText(query, io) : parseQuery(query, io)
  if (isEmptyQuery(parts)) {
    throw new IonError('usage', 'the search query is empty', { hint: 'listSessions lists sessions without searching' })
  }
  const { agents = [], since = parts.since, project, limit = DEFAULT_LIMIT } = filterOf(options, io)
  const folder = project ?? parts.folder
  return {
    ...parts,
    agents: [...new Set([...parts.agents, ...agents])],
    roles: [...new Set([...parts.roles, ...(options.roles ?? [])])],
    ...(since ? { since } : {}),
    ...(folder === undefined ? {} : { folder }),
    order: options.order ?? 'newest',
    limit,
  }
}
