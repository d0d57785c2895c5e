import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { syncFolder } from '../../platform/atomic-file.ts'
import { IonError, isDiskFull, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { listNames } from '../../platform/list-dir.ts'
import { restore } from '../../vault/restore.ts'
import { recordTrash, type TrashEntry } from '../../vault/trash.ts'
import { Vault } from '../../vault/vault.ts'
import { manifestFile, vaultFolder } from '../../vault/vault-paths.ts'
import { ArchiveIndex } from '../archive-index.ts'
import { archiveFile } from '../archive-paths.ts'
import { hasLog } from '../log-compression.ts'

/** What happened to a pruned session. */
export interface TrashOutcome {
  readonly entry: TrashEntry
  /** `back`: the agent has the session again. */
  readonly outcome: 'restored' | 'emptied' | 'back' | 'refused' | 'failed'
  readonly reason?: string
}

/** The sessions of the last prune, and all whose removal was interrupted. */
export function lastPruned(trash: readonly TrashEntry[]): TrashEntry[] {
  const run = trash.at(-1)?.run
  return trash.filter((entry) => entry.run === run || isInterrupted(entry))
}

/** Its removal began and did not finish, so parts of it may be missing in the agent's store. */
export function isInterrupted({ act }: TrashEntry): boolean {
  return act === 'pruning'
}

/** Restores sessions from their exact copies, each independently of the others. The caller holds the archive's lease. */
export function undoPrune(entries: readonly TrashEntry[], io: Io): TrashOutcome[] {
  return entries.map((entry) => attempt(entry, () => restorePruned(entry, io)))
}

function attempt(entry: TrashEntry, act: () => TrashOutcome['outcome']): TrashOutcome {
  try {
    return { entry, outcome: act() }
  } catch (error) {
    if (isDiskFull(error)) throw error
    const isRefused = error instanceof IonError && error.kind === 'refused'
    return { entry, outcome: isRefused ? 'refused' : 'failed', reason: messageOf(error) }
  }
}

function restorePruned(entry: TrashEntry, io: Io): 'restored' {
  const agent = findAgent(entry.agent)
  const vault = new Vault(io)
  const manifest = vault.find(agent, entry.id)
  if (!manifest) throw new Error('its exact copy is gone')
  const { parts } = manifest.versions.at(-1)!
  restore({ ...manifest, agent, parts, content: (part) => vault.content(part), io })
  recordTrash('restored', [entry], io)
  return 'restored'
}

/**
 * Deletes the exact copies of pruned sessions, once it is certain that their readable archive exists. A session that is in
 * its agent's store again keeps its copy. Also returns the bytes freed.
 */
export function emptyTrash(entries: readonly TrashEntry[], io: Io): { outcomes: TrashOutcome[]; freed: number } {
  const present = new Map<string, ReadonlySet<string>>()
  const isBack = ({ agent, id }: TrashEntry): boolean => {
    const ids = present.get(agent) ?? new Set(idsInStore(findAgent(agent), io))
    present.set(agent, ids)
    return ids.has(id)
  }
  const index = new ArchiveIndex(io)
  const outcomes = entries.map((entry) =>
    attempt(entry, () => {
      if (isBack(entry)) {
        recordTrash('restored', [entry], io)
        return 'back'
      }
      for (const id of [entry.id, ...entry.sub_agents]) refuseUnarchived(entry.agent, id, index, io)
      for (const id of [entry.id, ...entry.sub_agents]) dropCopy(entry.agent, id, index, io)
      recordTrash('emptied', [entry], io)
      return 'emptied'
    }),
  )
  return { outcomes, freed: new Vault(io).sweep(agents) }
}

function refuseUnarchived(agent: string, id: string, index: ArchiveIndex, io: Io): void {
  const known = index.get(agent, id)
  if (!known || !hasLog(archiveFile(id, known.project, io))) throw new Error(`the archive of ${id} is missing`)
}

function dropCopy(agent: string, id: string, index: ArchiveIndex, io: Io): void {
  // If the session reappears, it is copied again.
  index.put({ ...index.get(agent, id)!, copied: null })
  index.save()
  const file = manifestFile(agent, id, io)
  rmSync(file, { force: true })
  if (existsSync(dirname(file))) syncFolder(dirname(file))
}

const DAY = 86_400_000
/** A safety copy is needed only until the session is archived; keeping it a month longer costs little. */
const SAFETY_DAYS = 30

/**
 * Removes old safety copies that `ion run` made, where the session of that run has an exact copy by now. `sessionOf` returns
 * the session's id. Returns the bytes freed.
 */
export function dropSafetyCopies(sessionOf: (agent: string, run: string) => string | undefined, io: Io): number {
  const root = join(vaultFolder(io), 'safety')
  const index = new ArchiveIndex(io)
  let freed = 0
  for (const agent of listNames(root)) {
    for (const run of listNames(join(root, agent))) {
      const folder = join(root, agent, run)
      const id = sessionOf(agent, run)
      const isOld = io.now().getTime() - statSync(folder).mtimeMs > SAFETY_DAYS * DAY
      if (!isOld || id === undefined || !index.get(agent, id)?.copied) continue
      for (const name of listNames(folder)) freed += statSync(join(folder, name)).size
      rmSync(folder, { recursive: true })
    }
  }
  return freed
}

/** Ids of the sessions whose data is in an agent's store, not only their name (as for one stored on a server). */
function* idsInStore(agent: Agent, io: Io): Generator<string> {
  const reading = readContext(io)
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) continue
    for (const head of agent.heads(source, reading)) {
      if (!isProblem(head) && hasParts(agent, head, io)) yield head.id
    }
  }
}

function hasParts(agent: Agent, head: SessionHead, io: Io): boolean {
  for (const _ of agent.backup?.parts(head, readContext(io)) ?? []) return true
  return false
}
