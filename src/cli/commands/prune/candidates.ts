import { existsSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import { blockedReason, isNeeded, neededByForks, type PruneGroup } from '../../../archive/prune/prune.ts'
import type { Candidate } from '../../../archive/prune/prune-choice.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import type { SessionHead } from '../../../events/session.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { projectOf } from '../../../platform/project.ts'
import { knownTasks } from '../../../run/tasks.ts'
import type { Options } from '../../command.ts'
import { isInProject } from '../../in-project.ts'

/** A session that could be pruned, with its sub-agents. */
export interface Prunable extends Candidate {
  readonly row: SessionRow
  readonly family: () => PruneGroup
}

/** Where an agent leaves no mark of it, a session that was used so lately may be open. */
const RECENT_MS = 3_600_000

/** All sessions in the stores of the agents that were named. Those of which only Ion's copy is left take no room there. */
export function candidates(catalog: Catalog, options: Options, io: Io): Prunable[] {
  const named = (options.agent as readonly string[] | undefined)?.map((name) => findAgent(name).id)
  const rows = catalog.sessions({ ...(named ? { agents: named } : {}), hidden: true, subAgents: true })
  const own = rows.filter((row) => !isCopy(row, io))
  const project = typeof options.project === 'string' ? projectAt(resolve(io.cwd, options.project)) : undefined
  const children = childrenOf(own)
  const pins = pinned(io)
  const forks = new Forks(catalog, own, io)
  return own
    .filter((row) => row.parent_session === null && (project === undefined || isInProject(row, project)))
    .map((row) => {
      const below = descendants(row, children)
      const agent = findAgent(row.agent)
      const headOf = (one: SessionRow): SessionHead => catalog.locate(one).head
      const family = (): PruneGroup => ({ agent, head: headOf(row), subAgents: below.map(headOf) })
      const updated_at = [row, ...below].map((one) => one.updated_at).reduce(later)
      return {
        ...{ id: row.id, agent: row.agent, updated_at, row, family },
        bytes: [row, ...below].reduce((sum, one) => sum + one.bytes, 0),
        stays: () =>
          pins.get(`${row.agent}/${row.native_id}`) ??
          (io.now().getTime() - Date.parse(updated_at ?? '') < RECENT_MS
            ? 'it was used within the last hour'
            : undefined) ??
          tried(() => blockedReason(family(), io)) ??
          (forks.need(agent, family().head) ? 'another session was forked from it' : undefined),
      }
    })
}

/** What cannot be looked at stays. */
function tried(look: () => string | undefined): string | undefined {
  try {
    return look()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function isCopy({ path }: SessionRow, io: Io): boolean {
  const archives = agents.filter((agent) => agent.isArchive).flatMap((agent) => agent.paths(io))
  return archives.some((archive) => path.startsWith(archive.path + sep))
}

/** A project whose folder is gone still has its sessions. */
function projectAt(folder: string): string {
  return existsSync(folder) ? projectOf(folder) : folder
}

/** By the agent and the id of the session that began them. */
function childrenOf(rows: readonly SessionRow[]): ReadonlyMap<string, SessionRow[]> {
  const children = new Map<string, SessionRow[]>()
  for (const row of rows) {
    const key = `${row.agent}/${row.parent_session}`
    const known = children.get(key)
    if (known) known.push(row)
    else children.set(key, [row])
  }
  return children
}

function descendants(row: SessionRow, children: ReadonlyMap<string, SessionRow[]>): SessionRow[] {
  const found: SessionRow[] = []
  const waiting = [row]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    for (const child of children.get(`${one.agent}/${one.id}`) ?? []) {
      // A store that says of two that each has begun the other must not keep us here.
      if (child === row || found.includes(child)) continue
      found.push(child)
      waiting.push(child)
    }
  }
  return found
}

function later(a: string | null, b: string | null): string | null {
  return (a ?? '') > (b ?? '') ? a : b
}

/** Sessions that tasks of Ion have, or may be about to have, by agent and native id. */
function pinned(io: Io): ReadonlyMap<string, string> {
  const pins = new Map<string, string>()
  for (const { task, state } of knownTasks(io)) {
    const ids = [state.session?.native_id, ...state.attempts.map((run) => run.session)]
    const reason = `the task "${task.name}" in ${tilde(task.project, io)} has it`
    for (const id of ids) if (id !== undefined) pins.set(`${task.agent}/${id}`, reason)
  }
  return pins
}

/** Looked up for each agent once, and only where something of it would go. */
class Forks {
  readonly #needed = new Map<Agent, ReadonlySet<string>>()
  readonly #catalog: Catalog
  readonly #rows: readonly SessionRow[]
  readonly #io: Io

  constructor(catalog: Catalog, rows: readonly SessionRow[], io: Io) {
    this.#catalog = catalog
    this.#rows = rows
    this.#io = io
  }

  need(agent: Agent, head: SessionHead): boolean {
    const known = this.#needed.get(agent) ?? neededByForks(agent, this.#forksOf(agent), this.#io)
    this.#needed.set(agent, known)
    return isNeeded(agent, head, known, this.#io)
  }

  #forksOf(agent: Agent): SessionHead[] {
    const rows = this.#rows.filter((row) => row.agent === agent.id && row.forked_from !== null)
    return rows.map((row) => this.#catalog.locate(row).head)
  }
}
