import { wellFormed } from './clean.ts'

/** Links to other files of the folder, ready to be used as `href`. */
export interface FolderLinks {
  readonly index: string
  readonly newer?: string | undefined
  readonly older?: string | undefined
  /** Of a sub-agent's session. */
  readonly parent?: string | undefined
  /** In the order in which they were started. */
  readonly subAgents: readonly string[]
}

export interface Ordered {
  readonly id: string
  readonly created_at: string | null
  readonly parent_session: string | null
}

/** A session, and all that its sub-agents, and theirs, did. */
export interface Family<T> {
  readonly session: T
  readonly subAgents: readonly T[]
}

/** The order of a folder's index: newest first, with the sessions of sub-agents below the one that started them. */
export function familiesOf<T extends Ordered>(sessions: readonly T[]): Family<T>[] {
  const sorted = sessions.toSorted(newestFirst)
  const byId = firstById(sorted)
  const topOf = new Map<T, T>()
  for (const session of sorted) {
    // A transcript may claim to be its own ancestor: each session is visited once, and the last one of a circle is the top.
    const path: T[] = []
    const visited = new Set<T>()
    let at: T | undefined = session
    while (at && !topOf.has(at) && !visited.has(at)) {
      path.push(at)
      visited.add(at)
      at = at.parent_session === null ? undefined : byId.get(at.parent_session)
    }
    const top = (at && topOf.get(at)) ?? path.at(-1) ?? session
    for (const one of path) topOf.set(one, top)
  }
  const families = new Map<T, T[]>()
  for (const session of sorted) if (topOf.get(session) === session) families.set(session, [])
  for (const session of sorted) {
    const top = topOf.get(session)!
    if (top !== session) families.get(top)!.push(session)
  }
  return [...families].map(([session, subAgents]) => ({ session, subAgents }))
}

/**
 * The links of each session's page. Newer and older ones are sessions of the same kind: whoever goes through the sessions is not
 * led through forty sub-agents.
 */
export function linksBetween<T extends Ordered>(
  sessions: readonly T[],
  index: string,
  hrefOf: (session: T) => string,
): Map<T, FolderLinks> {
  const byId = firstById(sessions)
  const families = familiesOf(sessions)
  const links = new Map<T, FolderLinks>()
  const add = (list: readonly T[], subAgentsOf: (place: number) => readonly T[]): void => {
    for (const [place, session] of list.entries()) {
      const [newer, older] = [list[place - 1], list[place + 1]]
      const parent = session.parent_session === null ? undefined : byId.get(session.parent_session)
      links.set(session, {
        index,
        newer: newer && hrefOf(newer),
        older: older && hrefOf(older),
        parent: parent && parent !== session ? hrefOf(parent) : undefined,
        subAgents: subAgentsOf(place).map(hrefOf).reverse(),
      })
    }
  }
  add(
    families.map(({ session }) => session),
    (place) => families[place]!.subAgents,
  )
  for (const { subAgents } of families) add(subAgents, () => [])
  return links
}

/** The name of a file as a relative link. */
export function fileHref(name: string): string {
  return encodeURIComponent(wellFormed(name)).replaceAll("'", '%27')
}

export function firstById<T extends Ordered>(sessions: readonly T[]): Map<string, T> {
  const byId = new Map<string, T>()
  for (const session of sessions) if (!byId.has(session.id)) byId.set(session.id, session)
  return byId
}

/** Undated ones last. Equal times are ordered by id, so that the same sessions give the same index. */
function newestFirst(a: Ordered, b: Ordered): number {
  const [one, other] = [a.created_at ?? '', b.created_at ?? '']
  if (one !== other) return one < other ? 1 : -1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
