import type { SessionHead } from '../events/session.ts'
import { appendLines, privateFolder, replaceFile } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
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
  /** Decides which folder the log is in: the project in which the session was first archived, wherever it is now. */
  readonly project: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly model: string | null
  /** Events in the archive. */
  readonly events: number
  /** State of the session in the agent's store when it was read; null for imported sessions. */
  readonly revision: string | null
  /** State of the session in the agent's store when its exact copy was made. */
  readonly copied: string | null
  readonly archived_at: string
}

export interface LogLocation {
  readonly path: string
  readonly project: string | null
  /** The log exists, and the index says so. */
  readonly isKnown: boolean
}

const VERSION = 1

/** The file is rewritten when it has more lines than this for each session, but small files are left alone. */
const MAX_LINES_PER_ENTRY = 3
const MIN_LINES_TO_COMPACT = 100

/**
 * One line for each time a session was archived; the last one of a session counts. Greppable. Lines are only appended, and
 * `compact` drops outdated ones.
 */
export class ArchiveIndex {
  readonly #io: Io
  readonly #entries = new Map<string, IndexEntry>()
  /** Sessions whose last line was written by a newer Ion. */
  readonly #newer = new Set<string>()
  #lineCount = 0
  #unsaved: string[] = []

  constructor(io: Io) {
    this.#io = io
    for (const line of linesOf(indexFile(io))) {
      if (line !== '') this.#lineCount++
      const entry = parseLine(line)
      if (!entry?.key) continue
      if (entry.isNewer) {
        this.#newer.add(entry.key)
        this.#entries.delete(entry.key)
      } else {
        this.#newer.delete(entry.key)
        this.#entries.set(entry.key, entry.entry)
      }
    }
  }

  /** Throws when the session's line is of a newer version of Ion, which may mean something else by it. */
  get(agent: string, id: string): IndexEntry | undefined {
    const key = keyOf({ agent, id })
    if (this.#newer.has(key)) {
      throw new IonError('failed', `session ${id} was archived by a newer version of Ion`, {
        hint: 'update Ion',
      })
    }
    return this.#entries.get(key)
  }

  /** Where the log of a session is or will be. An existing log is continued. */
  logOf(agent: string, { id, cwd }: Pick<SessionHead, 'id' | 'cwd'>): LogLocation {
    const known = this.get(agent, id)
    const path = known && archiveFile(id, known.project, this.#io)
    if (path && hasLog(path)) return { path, project: known.project, isKnown: true }
    const project = cwd === null ? null : projectOf(cwd)
    return { path: archiveFile(id, project, this.#io), project, isKnown: false }
  }

  /** The sessions whose log exists. */
  *archived(): Generator<Pick<IndexEntry, 'agent' | 'id'>> {
    for (const entry of this.#entries.values()) {
      if (hasLog(archiveFile(entry.id, entry.project, this.#io))) yield entry
    }
  }

  /** When each session last changed, by id, in milliseconds; without those that do not say. */
  changes(): ReadonlyMap<string, number> {
    const changes = new Map<string, number>()
    for (const { id, updated_at } of this.#entries.values()) {
      const time = Date.parse(updated_at ?? '')
      if (!Number.isNaN(time)) changes.set(id, Math.max(time, changes.get(id) ?? 0))
    }
    return changes
  }

  /** On the disk after `save`. If that never happens, the session is only compared again the next time. */
  put(entry: IndexEntry): void {
    this.#entries.set(keyOf(entry), entry)
    this.#unsaved.push(JSON.stringify({ v: VERSION, ...entry }))
  }

  save(): void {
    if (this.#unsaved.length === 0) return
    privateFolder(ionHome(this.#io))
    appendLines(indexFile(this.#io), this.#unsaved)
    this.#unsaved = []
  }

  /**
   * Drops outdated lines when there are many; those of newer versions are kept as they are. Only right after opening, by
   * the holder of the archive's lease: no other process may have written since.
   */
  compact(): void {
    const sessions = this.#entries.size + this.#newer.size
    if (this.#lineCount <= Math.max(MIN_LINES_TO_COMPACT, MAX_LINES_PER_ENTRY * sessions)) return
    const file = indexFile(this.#io)
    const kept: string[] = []
    const seen = new Set<string>()
    for (const line of linesOf(file).toReversed()) {
      const entry = parseLine(line)
      if (!entry || (!entry.isNewer && seen.has(entry.key))) continue
      if (!entry.isNewer) seen.add(entry.key)
      kept.push(`${line}\n`)
    }
    if (kept.length < this.#lineCount) replaceFile(file, kept.reverse().join(''))
    this.#lineCount = kept.length
  }
}

/** The index entry of a session as it is now. */
export function entryOf(
  agent: string,
  head: Pick<SessionHead, 'id' | 'native_id' | 'title' | 'cwd' | 'created_at' | 'updated_at' | 'model'>,
  { project, events, revision, copied }: Pick<IndexEntry, 'project' | 'events' | 'revision' | 'copied'>,
  io: Io,
): IndexEntry {
  const { id, native_id, title, cwd, created_at, updated_at, model } = head
  const session = { id, agent, native_id, title, cwd, project, created_at, updated_at, model }
  return { ...session, events, revision, copied, archived_at: io.now().toISOString() }
}

/** An agent and its successor may share an id. */
function keyOf({ agent, id }: Pick<IndexEntry, 'agent' | 'id'>): string {
  return `${agent}/${id}`
}

type ParsedLine =
  | { readonly isNewer: false; readonly key: string; readonly entry: IndexEntry }
  /** Without a key where it is not even clear which session it is about. */
  | { readonly isNewer: true; readonly key: string | undefined }

/** Undefined for a line that a crash left incomplete. */
function parseLine(line: string): ParsedLine | undefined {
  try {
    const { v, ...entry } = JSON.parse(line) as IndexEntry & { v: unknown }
    const key = typeof entry.id === 'string' && typeof entry.agent === 'string' ? keyOf(entry) : undefined
    if (typeof v === 'number' && v > VERSION) return { isNewer: true, key }
    return key === undefined ? undefined : { isNewer: false, key, entry }
  } catch {
    return undefined
  }
}
