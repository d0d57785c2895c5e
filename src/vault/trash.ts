import { join } from 'node:path'
import { appendLines, privateFolder } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import { linesOf } from '../platform/list-dir.ts'
import { vaultFolder } from './vault-paths.ts'

/** A session that was taken out of its agent's store, and can be put back from its copy in the vault. */
export interface TrashedSession {
  /** Those that went together. */
  readonly run: string
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  /** Sessions of sub-agents that are part of it. */
  readonly sub_agents: readonly string[]
  /** What it took in the agent's store. */
  readonly bytes: number
}

/**
 * What became of it. `pruning` is written before anything is removed, and `pruned` when all is: what is killed in between is
 * known by that.
 */
export type TrashAct = 'pruning' | 'pruned' | 'restored' | 'emptied'

export type TrashEntry = TrashedSession & { readonly act: TrashAct; readonly at: string }

function trashFile(io: Io): string {
  return join(vaultFolder(io), 'trash.jsonl')
}

/** The last of each session, in the order in which they went. Append-only, as the index of the archive. */
export function readTrash(io: Io): TrashEntry[] {
  const last = new Map<string, TrashEntry>()
  for (const line of linesOf(trashFile(io))) {
    const entry = parsed(line)
    if (!entry) continue
    const key = `${entry.agent}/${entry.id}`
    last.delete(key)
    last.set(key, entry)
  }
  return [...last.values()]
}

/** Those that are not in the agents' stores, or not whole, but in the vault. */
export function inTrash(io: Io): TrashEntry[] {
  return readTrash(io).filter(({ act }) => act === 'pruning' || act === 'pruned')
}

/** On the disk when this returns. */
export function recordTrash(act: TrashAct, sessions: readonly TrashedSession[], io: Io): void {
  privateFolder(vaultFolder(io))
  const at = io.now().toISOString()
  const lines = sessions.map(({ run, agent, id, native_id, title, sub_agents, bytes }) =>
    JSON.stringify({ v: 1, act, at, run, agent, id, native_id, title, sub_agents, bytes }),
  )
  appendLines(trashFile(io), lines)
}

/** A line that a crash tore is as if it had never been. */
function parsed(line: string): TrashEntry | undefined {
  try {
    const { v: _, ...entry } = JSON.parse(line) as TrashEntry & { v: number }
    return typeof entry.id === 'string' && typeof entry.agent === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
