import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { isWithin } from '../../platform/project.ts'
import { archiveFolder } from '../archive-paths.ts'
import { blockedReason, type PruneGroup } from './prune.ts'
import type { Candidate } from './rule.ts'

/** A session as the index knows it. */
export interface IndexedSession {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  readonly updated_at: string | null
  readonly bytes: number
  readonly path: string
  readonly parent_session: string | null
  readonly forked_from: string | null
}

export interface PruneCandidate<R extends IndexedSession> extends Candidate {
  readonly row: R
  readonly group: () => PruneGroup
}

export interface PruneInput<R extends IndexedSession> {
  /** All sessions of the agents in question, including hidden ones and those of sub-agents. */
  readonly rows: readonly R[]
  readonly headOf: (row: R) => SessionHead
  /** Why a task of Ion needs the session, or undefined. */
  readonly pinReason: (agent: string, nativeId: string) => string | undefined
}

/** Not every agent shows which sessions are open, so one that was used this recently may be. */
const RECENT_MS = 3_600_000

/**
 * Every session in the agents' stores with the reasons that protect it. A sub-agent's session belongs to the one that
 * started it. Sessions that exist only in Ion's archive are left out: they take no space in a store.
 */
export function pruneCandidates<R extends IndexedSession>(input: PruneInput<R>, io: Io): PruneCandidate<R>[] {
  const { headOf, pinReason } = input
  const rows = input.rows.filter(({ path }) => !isWithin(path, archiveFolder(io)))
  const children = childrenByParent(rows)
  const isForkedFrom = forkLookup(rows, headOf, io)
  return rows
    .filter((row) => row.parent_session === null)
    .map((row) => {
      const below = descendants(row, children)
      const agent = findAgent(row.agent)
      const group = (): PruneGroup => ({ agent, head: headOf(row), subAgents: below.map(headOf) })
      const updated_at = [row, ...below].map((one) => one.updated_at).reduce(later)
      const isRecent = (): boolean => io.now().getTime() - Date.parse(updated_at ?? '') < RECENT_MS
      return {
        ...{ id: row.id, agent: row.agent, updated_at, row, group },
        bytes: [row, ...below].reduce((sum, one) => sum + one.bytes, 0),
        keepReason: () =>
          pinReason(row.agent, row.native_id) ??
          (isRecent() ? 'it was used within the last hour' : undefined) ??
          reasonOrError(() => blockedReason(group(), io)) ??
          (isForkedFrom(agent, group().head) ? 'another session was forked from it' : undefined),
      }
    })
}

/** A session that cannot be examined is kept. */
function reasonOrError(reason: () => string | undefined): string | undefined {
  try {
    return reason()
  } catch (error) {
    return messageOf(error)
  }
}

function childrenByParent<R extends IndexedSession>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> {
  const children = new Map<string, R[]>()
  for (const row of rows) {
    if (row.parent_session === null) continue
    const key = `${row.agent}/${row.parent_session}`
    children.set(key, [...(children.get(key) ?? []), row])
  }
  return children
}

function descendants<R extends IndexedSession>(row: R, children: ReadonlyMap<string, readonly R[]>): R[] {
  const found: R[] = []
  const pending = [row]
  for (let one = pending.pop(); one; one = pending.pop()) {
    for (const child of children.get(`${one.agent}/${one.id}`) ?? []) {
      // Guards against a store in which two sessions claim to have started each other.
      if (child === row || found.includes(child)) continue
      found.push(child)
      pending.push(child)
    }
  }
  return found
}

function later(a: string | null, b: string | null): string | null {
  return (a ?? '') > (b ?? '') ? a : b
}

/** Reads an agent's forks once, and only when one of its sessions would be pruned. */
function forkLookup<R extends IndexedSession>(
  rows: readonly R[],
  headOf: (row: R) => SessionHead,
  io: Io,
): (agent: Agent, head: SessionHead) => boolean {
  const neededPaths = new Map<Agent, ReadonlySet<string>>()
  return (agent, head) => {
    let needed = neededPaths.get(agent)
    if (!needed) {
      const forks = rows.filter((row) => row.agent === agent.id && row.forked_from !== null)
      needed = neededByForks(agent, forks.map(headOf), io)
      neededPaths.set(agent, needed)
    }
    return isNeeded(agent, head, needed, io)
  }
}

/** Paths of other sessions that forks depend on. `heads` are the sessions of the agent, or only its forks. */
export function neededByForks(agent: Agent, heads: readonly SessionHead[], io: Io): ReadonlySet<string> {
  const needed = new Set<string>()
  for (const head of heads) {
    if (head.forked_from === undefined) continue
    for (const part of agent.backup!.parts(head, readContext(io))) {
      if (!isProblem(part) && part.kind === 'file' && part.shared) needed.add(`${part.root}/${part.path}`)
    }
  }
  return needed
}

/** Whether a fork depends on the session. */
export function isNeeded(agent: Agent, head: SessionHead, needed: ReadonlySet<string>, io: Io): boolean {
  if (needed.size === 0) return false
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (!isProblem(part) && !part.shared && needed.has(`${part.root}/${part.path}`)) return true
  }
  return false
}
