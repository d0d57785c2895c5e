import type { SourceError } from '../catalog/catalog.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { parseTag } from '../organise/tag.ts'
import { finish, paced } from '../platform/pace.ts'
import { type FilterOptions, filterOf, ioOf } from './options.ts'
import { type IndexOptions, openIndex } from './session.ts'

export interface ListOptions extends FilterOptions, IndexOptions {
  /** Include sessions archived in the agent. */
  readonly hidden?: boolean
  /** Include sub-agent sessions. */
  readonly subAgents?: boolean
  /** Only sessions with one of these tags. */
  readonly tags?: readonly string[]
  /** Only pinned sessions. */
  readonly pinned?: boolean
  /** Called for each file or folder that could not be read. */
  readonly onSourceError?: (error: Pick<SourceError, 'path' | 'problem' | 'code'>) => void
}

/** Sessions of all agents on this machine, newest first. */
export async function* listSessions(options: ListOptions = {}): AsyncGenerator<SessionRow, void, undefined> {
  const io = ioOf(options)
  const { signal, onSourceError = () => {}, hidden = false, subAgents = false, pinned = false } = options
  const tags = (options.tags ?? []).map(parseTag)
  const filter = { ...filterOf(options, io), hidden, subAgents, tags, pinned }
  const catalog = openIndex(options, io)
  try {
    await finish(catalog.refreshSteps(), signal)
    for (const { path, problem, code } of catalog.sourceErrors()) onSourceError({ path, problem, code })
    yield* paced(catalog.eachSession(filter), signal)
  } finally {
    catalog.close()
  }
}
