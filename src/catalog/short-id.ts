import type { Database } from '../platform/sqlite.ts'

/** What names a session on the command line. */
export interface Identified {
  readonly agent: string
  readonly id: string
}

const MIN_LENGTH = 8
/** A UUIDv7 begins with its time: only with all of it does the prefix stay unique when another session starts. */
const MIN_TIMED_LENGTH = 13
const TIMED = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/**
 * Gives each session a prefix of its id that no other session has, among all in the index and those given, which need not
 * be in it: so it works when typed. Three indexed lookups for each, however many there are.
 */
export function shortIds(database: Database, sessions: readonly Identified[]): (session: Identified) => string {
  const before = database.prepare('SELECT max(id) AS id FROM session WHERE id < ?')
  const after = database.prepare('SELECT min(id) AS id FROM session WHERE id > ?')
  const sameId = database.prepare('SELECT DISTINCT agent FROM session WHERE id = ?')
  return shortIdsAmong(sessions, (id) => ({
    ids: [before, after].flatMap((statement) => (statement.get(id) as { id: string | null }).id ?? []),
    agents: (sameId.all(id) as { agent: string }[]).map(({ agent }) => agent),
  }))
}

/** What else there is: the ids next to an id, and the agents that have a session of this id. */
type Others = (id: string) => { readonly ids: readonly string[]; readonly agents: readonly string[] }

/** The same among the given sessions and what `others` knows. */
export function shortIdsAmong(
  sessions: readonly Identified[],
  others: Others = () => ({ ids: [], agents: [] }),
): (session: Identified) => string {
  const agentsOf = new Map<string, Set<string>>()
  for (const { id, agent } of sessions) agentsOf.set(id, (agentsOf.get(id) ?? new Set()).add(agent))
  const sorted = [...agentsOf.keys()].sort()
  const placeOf = new Map(sorted.map((id, place) => [id, place]))
  const shorten = ({ agent, id }: Identified): string => {
    const place = placeOf.get(id)!
    const { ids, agents } = others(id)
    const shared = [sorted[place - 1], sorted[place + 1], ...ids].map((other) => commonLength(id, other))
    const short = id.slice(0, Math.max(TIMED.test(id) ? MIN_TIMED_LENGTH : MIN_LENGTH, ...shared.map((n) => n + 1)))
    // An agent and its successor may share an id.
    return [...agentsOf.get(id)!, ...agents].every((other) => other === agent) ? short : `${agent}:${short}`
  }
  const keyOf = ({ agent, id }: Identified): string => `${agent}:${id}`
  const short = new Map(sessions.map((session) => [keyOf(session), shorten(session)]))
  return (session) => short.get(keyOf(session)) ?? session.id
}

function commonLength(id: string, other: string | undefined): number {
  let length = 0
  while (other !== undefined && length < id.length && id[length] === other[length]) length++
  return length
}
