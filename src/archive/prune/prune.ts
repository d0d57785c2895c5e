import { randomUUID } from 'node:crypto'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import type { BackupPart } from '../../agents/backup.ts'
import type { IonEvent } from '../../events/event.ts'
import { isEvent, isProblem, isTransient } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { HashSet } from '../../native/hash-set.ts'
import { readContext } from '../../native/read-context.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import { ionHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { writeHint } from '../../platform/write-hint.ts'
import { differsFromLive } from '../../vault/compare-live.ts'
import { CopyCoverage } from '../../vault/copy-coverage.ts'
import { removeParts } from '../../vault/remove.ts'
import { recordTrash, type TrashedSession } from '../../vault/trash.ts'
import { Vault } from '../../vault/vault.ts'
import type { Archive } from '../archive.ts'

/** A session and its sub-agents' sessions. */
export interface PruneGroup {
  readonly agent: Agent
  readonly head: SessionHead
  readonly subAgents: readonly SessionHead[]
}

export interface Pruned {
  /** Why it was kept; undefined when it was removed from the agent's store. */
  readonly keptBecause?: string
  /** It was rows of a database, whose file keeps its size. */
  readonly inDatabase: boolean
}

/** Prunes the candidates one after the other, as one run that `--undo` reverts together. A full disk stops it. */
export function* pruneEach<C extends { readonly group: () => PruneGroup }>(
  archive: Archive,
  candidates: readonly C[],
  io: Io,
): Generator<Pruned & { readonly candidate: C }> {
  const run = randomUUID()
  for (const candidate of candidates) {
    try {
      yield { candidate, ...pruneSession(archive, candidate.group(), run, io) }
    } catch (error) {
      if (!isDiskFull(error)) throw error
      throw new IonError('failed', `the archive cannot be written: ${messageOf(error)}`, {
        cause: error,
        hint: `nothing more was removed; ${writeHint(error, ionHome(io))}, then run it again`,
      })
    }
  }
}

/**
 * Removes a session from its agent's store after both copies of it were made and read back. It is kept whenever there is
 * doubt: a copy may be incomplete, or somebody may have it open. The caller's `archive` holds the lease that prevents others
 * from writing meanwhile.
 */
export function pruneSession(archive: Archive, group: PruneGroup, run: string, io: Io): Pruned {
  try {
    return prune(archive, group, run, io)
  } catch (error) {
    if (isDiskFull(error)) throw error
    return kept(messageOf(error))
  }
}

function prune(archive: Archive, group: PruneGroup, run: string, io: Io): Pruned {
  const { agent, head, subAgents } = group
  const all = [head, ...subAgents]
  const blocked = blockedReason(group, io)
  if (blocked !== undefined) return kept(blocked)
  const own = sessionsWithParts(group, io)
  const ownIds = new Set(own.map((one) => one.head.id))
  for (const one of all) {
    const { uncopied } = archive.capture(agent, one, { copy: ownIds.has(one.id) })
    if (uncopied !== undefined) return kept(`it cannot be copied: ${uncopied}`)
  }
  archive.save()
  for (const one of all) {
    const missing = missingInArchive(agent, one, archive.logOf(agent, one), io)
    if (missing !== undefined) return kept(missing)
  }
  const trashed: TrashedSession[] = []
  for (const one of own) {
    const bytes = copiedBytes(agent, one.head, io)
    if (typeof bytes === 'string') return kept(bytes)
    const { id, native_id, title } = one.head
    const sub_agents = one.head === head ? subAgents.map((other) => other.id).filter((other) => !ownIds.has(other)) : []
    trashed.push({ run, agent: agent.id, id, native_id, title, sub_agents, bytes })
  }
  // It may have been opened while it was copied.
  if (isLive(agent, all, io)) return kept(`${agent.title} has it open`)
  recordTrash('pruning', trashed, io)
  for (const one of own) removeParts(agent, one.head, io)
  recordTrash('pruned', trashed, io)
  return { inDatabase: own.some(({ parts }) => parts.some(({ kind }) => kind === 'rows')) }
}

/** Why it cannot be pruned, as far as can be known without copying it; undefined when nothing prevents it. */
export function blockedReason(group: PruneGroup, io: Io): string | undefined {
  const { agent, head, subAgents } = group
  if (!agent.backup) return `sessions of ${agent.title} cannot be restored`
  if (isLive(agent, [head, ...subAgents], io)) return `${agent.title} has it open`
  const parts = sessionsWithParts(group, io).flatMap((one) => one.parts)
  if (parts.length === 0) return 'it has no data that could be restored'
  if (parts.some((part) => part.kind === 'file' && part.hasOthers)) return 'its file also holds other sessions'
  return undefined
}

function kept(reason: string): Pruned {
  return { keptBecause: reason, inDatabase: false }
}

function isLive(agent: Agent, heads: readonly SessionHead[], io: Io): boolean {
  const ids = heads.map(({ native_id }) => native_id)
  return [...(agent.live?.(io, ids).values() ?? [])].some((pid) => pid !== false)
}

interface SessionWithParts {
  readonly head: SessionHead
  readonly parts: readonly BackupPart[]
}

/** The sessions that have parts of their own. A sub-agent's data is mostly part of the session that started it. */
function sessionsWithParts({ agent, head: first, subAgents }: PruneGroup, io: Io): SessionWithParts[] {
  const covered = new CopyCoverage()
  const own: SessionWithParts[] = []
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

/** The size in the agent's store of what the exact copy holds, or why the copy is incomplete after a second attempt. */
function copiedBytes(agent: Agent, head: SessionHead, io: Io): number | string {
  const vault = new Vault(io)
  let problem = 'there is no exact copy'
  for (const isRetry of [false, true]) {
    if (isRetry) vault.backUp(agent, head)
    const version = vault.find(agent, head.id)?.versions.at(-1)
    if (!version) continue
    try {
      const difference = differsFromLive(agent, head, version, vault, io)
      if (difference === undefined) {
        return version.parts.reduce((sum, part) => sum + (part.kind === 'file' && part.shared ? 0 : part.size), 0)
      }
      problem = difference
    } catch (error) {
      if (isRetry) throw error
      problem = messageOf(error)
    }
  }
  return `its copy is incomplete: ${problem}`
}

/** Why the archived log at `path` lacks an event of the session; undefined when it has all. Reads both completely, from disk. */
function missingInArchive(agent: Agent, head: SessionHead, path: string, io: Io): string | undefined {
  const archive = agents.find(({ isArchive }) => isArchive)!
  const archived = new HashSet()
  for (const item of archive.read({ ...head, path }, readContext(io))) {
    if (isProblem(item)) return `its archive cannot be read: ${item.problem}`
    if (isEvent(item)) archived.add(contentKey(item.event))
  }
  for (const item of agent.read(head, readContext(io))) {
    if (isProblem(item) && isTransient(item)) return item.problem
    // An unreadable record is no event; the exact copy has it.
    if (!isEvent(item)) continue
    const isNew = archived.add(contentKey(item.event))
    if (isNew) return 'its archive is incomplete'
  }
  return undefined
}

/**
 * Equal for two readings of one event. Its position in the log and a guessed time may differ; the archive keeps the first
 * header, even when the session was renamed since.
 */
function contentKey(event: IonEvent): string {
  const { type, seq: _seq, timestamp, ...rest } = event
  return type === 'session_start' ? type : JSON.stringify([type, event.timestamp_guessed ? '' : timestamp, rest])
}
