import { join } from 'node:path'
import { appendLines, privateFolder } from '../platform/atomic-file.ts'
import type { Io } from '../platform/io.ts'
import { linesOf } from '../platform/list-dir.ts'
import { vaultFolder } from './vault-paths.ts'

/** A session that was removed from its agent's store and can be restored from its exact copy. */
export interface TrashedSession {
  /** The prune run that removed it. */
  readonly run: string
  readonly agent: string
  readonly id: string
  readonly native_id: string
  readonly title: string | null
  /** Ids of its sub-agents' sessions. */
  readonly sub_agents: readonly string[]
  /** Its size in the agent's store. */
  readonly bytes: number
}

/** `pruning` is written before anything is removed and `pruned` afterwards, so that an interrupted removal is noticed. */
export type TrashAct = 'pruning' | 'pruned' | 'restored' | 'emptied'

export type TrashEntry = TrashedSession & { readonly act: TrashAct; readonly at: string }

function trashFile(io: Io): string {
  return join(vaultFolder(io), 'trash.jsonl')
}

/** The latest entry of each session, oldest first. The file is append-only, like the archive's index. */
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

/** Sessions that are missing or incomplete in the agents' stores but have an exact copy. */
export function inTrash(io: Io): TrashEntry[] {
  return readTrash(io).filter(({ act }) => act === 'pruning' || act === 'pruned')
}

/** On disk when this returns. */
export function recordTrash(act: TrashAct, sessions: readonly TrashedSession[], io: Io): void {
  privateFolder(vaultFolder(io))
  const at = io.now().toISOString()
  const lines = sessions.map(({ run, agent, id, native_id, title, sub_agents, bytes }) =>
    JSON.stringify({ v: 1, act, at, run, agent, id, native_id, title, sub_agents, bytes }),
  )
  appendLines(trashFile(io), lines)
}

/** Undefined for a line that a crash left incomplete. */
function parsed(line: string): TrashEntry | undefined {
  try {
    const { v: _, ...entry } = JSON.parse(line) as TrashEntry & { v: number }
    return typeof entry.id === 'string' && typeof entry.agent === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
