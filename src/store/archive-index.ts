import { appendLines, privateFolder } from '../platform/durable.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { linesOf } from '../platform/look.ts'
import { indexFile } from './archive-place.ts'

/** A session as it was when it was last archived. The documented line of `index.jsonl`. */
export interface IndexEntry {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  readonly project: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly model: string | null
  /** Events in the archive. */
  readonly events: number
  /** Of the agent's store, when it was read; null for what was imported. */
  readonly revision: string | null
  /** Of the agent's store, when an exact copy went into the vault. */
  readonly copied: string | null
  readonly archived_at: string
}

/** Append-only and greppable; of an id the last line counts. */
export class ArchiveIndex {
  readonly #io: Io
  readonly #entries = new Map<string, IndexEntry>()
  #waiting: string[] = []

  constructor(io: Io) {
    this.#io = io
    for (const line of linesOf(indexFile(io))) {
      const entry = parsed(line)
      if (entry) this.#entries.set(keyOf(entry), entry)
    }
  }

  get(agent: string, id: string): IndexEntry | undefined {
    return this.#entries.get(keyOf({ agent, id }))
  }

  /** When each session last changed, by its id, in milliseconds; only those that say so. */
  changes(): ReadonlyMap<string, number> {
    const changes = new Map<string, number>()
    for (const { id, updated_at } of this.#entries.values()) {
      const time = Date.parse(updated_at ?? '')
      if (!Number.isNaN(time)) changes.set(id, Math.max(time, changes.get(id) ?? 0))
    }
    return changes
  }

  /** On the disk after `save`. Without it a session is only compared again the next time. */
  put(entry: IndexEntry): void {
    this.#entries.set(keyOf(entry), entry)
    this.#waiting.push(JSON.stringify({ v: 1, ...entry }))
  }

  save(): void {
    if (this.#waiting.length === 0) return
    privateFolder(ionHome(this.#io))
    appendLines(indexFile(this.#io), this.#waiting)
    this.#waiting = []
  }
}

/** An agent and its successor may share an id. */
function keyOf({ agent, id }: Pick<IndexEntry, 'agent' | 'id'>): string {
  return `${agent}/${id}`
}

/** A line that a crash tore is as if it had never been. */
function parsed(line: string): IndexEntry | undefined {
  try {
    const { v: _, ...entry } = JSON.parse(line) as IndexEntry & { v: number }
    return typeof entry.id === 'string' && typeof entry.agent === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
