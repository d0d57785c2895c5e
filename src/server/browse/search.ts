import { isEmptyQuery, parseQueryText } from '../../catalog/search/parse-query.ts'
import type { SearchHit, SearchQuery } from '../../catalog/search/query.ts'
import type { SessionFilter } from '../../catalog/session-row.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { Pace } from '../../platform/pace.ts'
import type { SearchLine } from './contract.ts'
import type { SessionIndex } from './session-index.ts'
import type { SessionListing } from './session-list.ts'

/** Interval of the progress lines. */
const PROGRESS_MS = 250

/** The query of the page, in the grammar of the command line. Throws `usage` with its message. */
export function searchQuery(text: string, filter: SessionFilter, limit: number, io: Io): SearchQuery {
  const parts = parseQueryText(text, io)
  if (isEmptyQuery(parts)) {
    const problem = parts.excluded.length > 0 ? 'the query only excludes words' : 'the search query is empty'
    throw new IonError('usage', problem, { hint: 'add a word to find' })
  }
  const { agents = [], since = parts.since, project = parts.folder } = filter
  return {
    ...parts,
    agents: [...new Set([...parts.agents, ...agents])],
    ...(since ? { since } : {}),
    ...(project === undefined ? {} : { folder: project }),
    order: 'newest',
    limit,
  }
}

/** Hits as they are found. */
export async function* searchLines(
  query: SearchQuery,
  index: SessionIndex,
  listing: SessionListing,
  signal: AbortSignal,
): AsyncGenerator<SearchLine, void, undefined> {
  const pace = new Pace(signal)
  let progress = { done: 0, total: 0 }
  let toldAt = performance.now()
  const steps = index.catalog.searchSteps(query, (done, total) => {
    progress = { done, total }
  })
  try {
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      if (step.value) yield { hit: await entryOf(step.value, listing) }
      if (!pace.isDue) continue
      await pace.turn()
      if (performance.now() - toldAt < PROGRESS_MS) continue
      toldAt = performance.now()
      yield { progress }
    }
    const { searched, unsearched, isCut } = step.value
    yield { done: { searched, unsearched: unsearched.length, is_cut: isCut } }
  } finally {
    steps.return({ searched: 0, sub_agents: 0, hidden: 0, unsearched: [], isCut: true })
  }
}

async function entryOf({ session, event, snippet, marks, more }: SearchHit, listing: SessionListing) {
  return { session: await listing.row(session), event, snippet, marks, more }
}
