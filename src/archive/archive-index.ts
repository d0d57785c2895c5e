import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { appendLines, privateFolder } from '../platform/atomic-file.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { linesOf } from '../platform/list-dir.ts'
import { projectOf } from '../platform/project.ts'
import { archiveFile, indexFile } from './archive-paths.ts'
import { hasLog } from './log-compression.ts'

/** A session as it was when it was last archived. The documented line of `index.jsonl`. */
export interface IndexEntry {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  readonly title: string | null
  readonly cwd: string | null
  /** Whose folder the log is in: where the session was first archived, wherever it is now. */
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

export interface LogPlace {
  readonly path: string
  readonly project: string | null
  /** It is there, and the index says so. */
  readonly isKnown: boolean
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

  /** Where the log of a session is or will be. The archive goes on with the one that it has. */
  logOf(agent: string, { id, cwd }: Pick<SessionHead, 'id' | 'cwd'>): LogPlace {
    const known = this.get(agent, id)
    const path = known && archiveFile(id, known.project, this.#io)
    if (path && hasLog(path)) return { path, project: known.project, isKnown: true }
    const project = cwd === null ? null : projectOf(cwd)
    return { path: archiveFile(id, project, this.#io), project, isKnown: false }
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

/** The line of a session as it is now. */
export function entryOf(
  agent: Agent,
  { id, native_id, title, cwd, created_at, updated_at, model }: SessionHead,
  { project, events, revision, copied }: Pick<IndexEntry, 'project' | 'events' | 'revision' | 'copied'>,
  io: Io,
): IndexEntry {
  const session = { id, agent: agent.id, native_id, title, cwd, project, created_at, updated_at, model }
  return { ...session, events, revision, copied, archived_at: io.now().toISOString() }
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
