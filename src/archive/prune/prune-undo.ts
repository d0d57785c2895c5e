import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
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

/** What became of a session in the trash. */
export interface TrashOutcome {
  readonly entry: TrashEntry
  readonly outcome: 'restored' | 'emptied' | 'back' | 'refused' | 'failed'
  readonly reason?: string
}

/**
 * Puts sessions back from the vault, each by itself; also those that were killed while they were removed, however far that
 * had come. Whoever calls this holds the lease of the archive.
 */
export function undoPrune(entries: readonly TrashEntry[], io: Io): TrashOutcome[] {
  return entries.map((entry) => tried(entry, () => restorePruned(entry, io)))
}

function tried(entry: TrashEntry, act: () => TrashOutcome['outcome']): TrashOutcome {
  try {
    return { entry, outcome: act() }
  } catch (error) {
    if (isDiskFull(error)) throw error
    const isRefused = error instanceof IonError && error.kind === 'refused'
    return { entry, outcome: isRefused ? 'refused' : 'failed', reason: messageOf(error) }
  }
}

function restorePruned(entry: TrashEntry, io: Io): 'restored' {
  const agent = agentOf(entry)
  const vault = new Vault(io)
  const kept = vault.find(agent, entry.id)
  if (!kept) throw new Error('its exact copy is gone')
  const { parts } = kept.versions.at(-1)!
  restore({ ...kept, agent, parts, content: (part) => vault.content(part), io })
  recordTrash('restored', [entry], io)
  return 'restored'
}

/**
 * Drops the exact copies of what was pruned; the readable archive of it stays, and is looked for first. A session that is in
 * its agent's store again keeps its copy. Gives also the bytes that came free.
 */
export function emptyTrash(entries: readonly TrashEntry[], io: Io): { outcomes: TrashOutcome[]; freed: number } {
  const there = new Map<string, ReadonlySet<string>>()
  const isBack = ({ agent, id }: TrashEntry): boolean => {
    const known = there.get(agent) ?? new Set(presentIn(agentOf({ agent }), io))
    there.set(agent, known)
    return known.has(id)
  }
  const index = new ArchiveIndex(io)
  const outcomes = entries.map((entry) =>
    tried(entry, () => {
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
  if (!known || !hasLog(archiveFile(id, known.project, io))) throw new Error(`the archive of ${id} is not there`)
}

function dropCopy(agent: string, id: string, index: ArchiveIndex, io: Io): void {
  // Should the session come again, it is copied again.
  index.put({ ...index.get(agent, id)!, copied: null })
  index.save()
  const file = manifestFile(agent, id, io)
  rmSync(file, { force: true })
  if (existsSync(dirname(file))) syncFolder(dirname(file))
}

const DAY = 86_400_000
/** A safety copy is needed only until the session is archived; a month more costs little. */
const SAFETY_DAYS = 30

/**
 * Removes copies that were made before a start, when they are old and the session of that run is captured. `sessionOf`
 * tells its id. Gives the bytes.
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

function agentOf({ agent }: Pick<TrashEntry, 'agent'>): Agent {
  const found = agents.find(({ id }) => id === agent)
  if (!found) throw new Error(`this Ion knows no agent called "${agent}"`)
  return found
}

/** Ids of the sessions in an agent's store. One of which only the name is left there, as of one on a server, is not. */
function* presentIn(agent: Agent, io: Io): Generator<string> {
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
