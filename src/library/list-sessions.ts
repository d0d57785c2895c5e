import type { SourceError } from '../catalog/catalog.ts'
import { openCatalog } from '../catalog/open.ts'
import type { SessionFilter, SessionRow } from '../catalog/session-row.ts'
import { finish, paced } from '../platform/pace.ts'
import { type FilterOptions, filterOf, ioOf } from './options.ts'
import { storeRows } from './store-rows.ts'

export interface ListOptions extends FilterOptions {
  /** Also what the user has put away in the agent itself. */
  readonly hidden?: boolean
  /** Also what sub-agents did. */
  readonly subAgents?: boolean
  /**
   * False: straight from the agents' stores, nothing is written, and each session is read to count it. Otherwise through
   * the catalogue in Ion's home, which is brought up to date first and reads only what has changed.
   */
  readonly catalog?: boolean
  /** Called with each place that could not be read. */
  readonly onTrouble?: (trouble: Omit<SourceError, 'agent'>) => void
}

/** Sessions of all agents on this machine, newest first. */
export async function* listSessions(options: ListOptions = {}): AsyncGenerator<SessionRow, void, undefined> {
  const io = ioOf(options)
  const { signal, onTrouble = () => {} } = options
  const filter: SessionFilter = {
    ...filterOf(options, io),
    ...(options.hidden ? { hidden: true } : {}),
    ...(options.subAgents ? { subAgents: true } : {}),
  }
  if (options.catalog === false) {
    yield* storeRows(io, filter, signal, ({ path, problem }) => onTrouble({ path, problem }))
    return
  }
  const catalog = openCatalog(io)
  try {
    await finish(catalog.refreshSteps({ gentle: true }), signal)
    for (const { path, problem } of catalog.troubles()) onTrouble({ path, problem })
    yield* paced(catalog.eachSession(filter), signal)
  } finally {
    catalog.close()
  }
}
