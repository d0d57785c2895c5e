import type { Agent } from '../../agents/agent.ts'
import type { BackupPart } from '../../agents/backup.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { differsFromLive } from '../../vault/compare-live.ts'
import { CopyCoverage } from '../../vault/copy-coverage.ts'
import { removeParts } from '../../vault/remove.ts'
import { recordTrash, type TrashedSession } from '../../vault/trash.ts'
import { Vault } from '../../vault/vault.ts'
import type { Archive } from '../archive.ts'
import { missingInArchive } from './prune-check.ts'

/** A session, and what its sub-agents did. */
export interface PruneGroup {
  readonly agent: Agent
  readonly head: SessionHead
  readonly subAgents: readonly SessionHead[]
}

export interface Pruned {
  /** Why it stays; undefined when it is gone from the agent's store. */
  readonly stays?: string
  readonly bytes: number
  /** Rows: the database keeps its size. */
  readonly inDatabase: boolean
}

/**
 * Takes a session out of its agent's store, after both copies of it were made and read back. Whatever is not certain lets it
 * stay: that a copy is not all of it, that somebody has it open, that another session needs it. `archive` is that whose
 * lease keeps others from writing meanwhile.
 */
export function pruneSession(archive: Archive, family: PruneGroup, run: string, io: Io): Pruned {
  try {
    return prune(archive, family, run, io)
  } catch (error) {
    if (isDiskFull(error)) throw error
    return { stays: messageOf(error), bytes: 0, inDatabase: false }
  }
}

function prune(archive: Archive, family: PruneGroup, run: string, io: Io): Pruned {
  const { agent, head, subAgents } = family
  const all = [head, ...subAgents]
  const reason = blockedReason(family, io)
  if (reason !== undefined) return staying(reason)
  const own = ownSessions(family, io)
  for (const one of all) {
    const { uncopied } = archive.capture(agent, one, { copy: own.some(({ head: { id } }) => id === one.id) })
    if (uncopied !== undefined) return staying(`it cannot be copied: ${uncopied}`)
  }
  archive.save()
  for (const one of all) {
    const missing = missingInArchive(agent, one, archive.logOf(agent, one), io)
    if (missing !== undefined) return staying(missing)
  }
  const trashed: TrashedSession[] = []
  for (const one of own) {
    const bytes = copiedBytes(agent, one.head, io)
    if (typeof bytes === 'string') return staying(bytes)
    const { id, native_id, title } = one.head
    const isOwn = (other: SessionHead): boolean => own.some(({ head: { id: known } }) => known === other.id)
    const sub_agents = one.head === head ? subAgents.filter((other) => !isOwn(other)).map((other) => other.id) : []
    trashed.push({ run, agent: agent.id, id, native_id, title, sub_agents, bytes })
  }
  // It may have been opened while it was copied.
  if (isLive(agent, all, io)) return staying(`${agent.title} has it open`)
  recordTrash('pruning', trashed, io)
  for (const one of own) removeParts(agent, one.head, io)
  recordTrash('pruned', trashed, io)
  return {
    bytes: trashed.reduce((sum, { bytes }) => sum + bytes, 0),
    inDatabase: own.some(({ parts }) => parts.some(({ kind }) => kind === 'rows')),
  }
}

/** Why it cannot be pruned, as far as that is known without copying; undefined when nothing is in the way. */
export function blockedReason(family: PruneGroup, io: Io): string | undefined {
  const { agent, head, subAgents } = family
  if (!agent.backup) return `sessions of ${agent.title} cannot be put back`
  if (isLive(agent, [head, ...subAgents], io)) return `${agent.title} has it open`
  const parts = ownSessions(family, io).flatMap((one) => one.parts)
  if (parts.length === 0) return 'nothing of it is there that could be put back'
  if (parts.some((part) => part.kind === 'file' && part.hasOthers)) return 'its file holds other sessions as well'
  return undefined
}

function staying(reason: string): Pruned {
  return { stays: reason, bytes: 0, inDatabase: false }
}

function isLive(agent: Agent, heads: readonly SessionHead[], io: Io): boolean {
  const ids = heads.map(({ native_id }) => native_id)
  return [...(agent.live?.(io, ids).values() ?? [])].some((pid) => pid !== false)
}

interface OwnSession {
  readonly head: SessionHead
  readonly parts: readonly BackupPart[]
}

/** Those that have parts of their own. What a sub-agent did mostly goes and comes with the session that began it. */
function ownSessions({ agent, head: first, subAgents }: PruneGroup, io: Io): OwnSession[] {
  const covered = new CopyCoverage()
  const own: OwnSession[] = []
  for (const head of [first, ...subAgents]) {
    const parts: BackupPart[] = []
    for (const part of agent.backup!.parts(head, readContext(io))) {
      if (isProblem(part)) throw new Error(part.problem)
      parts.push(part)
    }
    if (covered.hasAll(agent.id, parts)) continue
    covered.add(agent.id, parts)
    own.push({ head, parts })
  }
  return own
}

/** How much of the agent's store is in the exact copy; a word where that is not all of it. A copy that is not is made anew. */
function copiedBytes(agent: Agent, head: SessionHead, io: Io): number | string {
  const vault = new Vault(io)
  let problem = 'there is no exact copy'
  for (const isAgain of [false, true]) {
    if (isAgain) vault.keep(agent, head)
    const version = vault.find(agent, head.id)?.versions.at(-1)
    if (!version) continue
    try {
      const difference = differsFromLive(agent, head, version, vault, io)
      if (difference === undefined) {
        return version.parts.reduce((sum, part) => sum + (part.kind === 'file' && part.shared ? 0 : part.size), 0)
      }
      problem = difference
    } catch (error) {
      if (isAgain) throw error
      problem = messageOf(error)
    }
  }
  return `its copy is not all of it: ${problem}`
}

/** Paths that other sessions cannot do without: those that a fork begins in. `heads` are all sessions of the agent. */
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

/** Whether the session is one that a fork begins in. */
export function isNeeded(agent: Agent, head: SessionHead, needed: ReadonlySet<string>, io: Io): boolean {
  if (needed.size === 0) return false
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (!isProblem(part) && !part.shared && needed.has(`${part.root}/${part.path}`)) return true
  }
  return false
}
