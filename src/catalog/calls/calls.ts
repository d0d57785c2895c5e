import type { Database } from '../../platform/sqlite.ts'
import { type CallDimensions, type CallFilter, type CallGroup, type CallRate, groupCalls } from './call-groups.ts'
import { allOwners, type SettledCalls, settleCalls } from './settle.ts'

/** What the index knows about model calls, each of which is counted once. */
export interface Calls {
  /** The names of all models that were called. */
  models(): string[]
  groups(filter: CallFilter, by: CallDimensions, rates: readonly CallRate[]): CallGroup[]
  /** Records of calls that are counted in another session. */
  repeated(): number
  /** What a report says about a session, by its id. */
  describe(session: string): CalledSession
  /** The id of the session in which a call counts, by its identity; undefined if the index does not have it. */
  countedIn(identity: number): string | undefined
}

export interface CalledSession {
  readonly title: string | null
  readonly project: string | null
  readonly parent_session: string | null
}

export function callsOf(database: Database, titleOf: (session: { id: string; agent: string }) => string | null): Calls {
  const describing = database.prepare(
    'SELECT id, agent, title, project, parent_session FROM session WHERE id = ? ORDER BY store <> agent LIMIT 1',
  )
  const naming = database.prepare('SELECT id FROM stored_session WHERE key = ?')
  let known: SettledCalls | undefined
  const settled = (): SettledCalls => {
    known ??= settleCalls(database)
    return known
  }
  let owners: ReadonlyMap<number, number> | undefined
  return {
    models() {
      const rows = database.prepare('SELECT name FROM model ORDER BY name').all() as { name: string }[]
      return rows.map(({ name }) => name)
    },
    groups: (filter, by, rates) => groupCalls(settled(), filter, by, rates),
    repeated: () => settled().repeated,
    describe(session) {
      const found = describing.get(session) as (CalledSession & { id: string; agent: string }) | undefined
      if (!found) return { title: null, project: null, parent_session: null }
      const { title, project, parent_session } = found
      return { title: titleOf(found) ?? title, project, parent_session }
    },
    countedIn(identity) {
      owners ??= allOwners(settled())
      const session = owners.get(identity)
      if (session === undefined) return undefined
      return (naming.get(session) as { id: string } | undefined)?.id
    },
  }
}
