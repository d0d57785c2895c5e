import { dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { syncFolder } from '../platform/atomic-file.ts'
import { IonError, isDiskFull, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, takeLease } from '../platform/lease.ts'
import { whyNotInStore } from '../vault/part-content.ts'
import { Vault } from '../vault/vault.ts'
import { ArchiveIndex, entryOf, type LogLocation } from './archive-index.ts'
import { ArchiveLog, type ReadResult } from './archive-log.ts'
import { archiveFile, writerFolder } from './archive-paths.ts'
import { archivedHead, type Conflict } from './import-log.ts'
import { type CompressionResult, compressOldLogs } from './log-compression.ts'

export interface Captured {
  /** Events that were not in the archive before. */
  readonly added: number
  /** The session has not changed, so it was not read. */
  readonly unchanged: boolean
  /** Records that could not be read. */
  readonly problems: number
  /** Why the exact copy for `ion restore` could not be made. */
  readonly uncopied?: string
}

export interface CaptureOptions {
  /** False for a session that is being written: its exact copy can wait until it is quiet. */
  readonly copy?: boolean
  /** Makes the exact copy again, which repairs a damaged one. */
  readonly force?: boolean
}

interface Logged extends ReadResult {
  readonly added: number
  readonly events: number
}

const WAIT_MS = 2000

/** How many sessions are archived before their index entries are written. */
const INDEX_BATCH = 100

/** Ion's own copies of sessions, with one writer at a time. They keep what an agent later changes or deletes. */
export class Archive {
  readonly #io: Io
  readonly #lease: Lease
  readonly #index: ArchiveIndex
  readonly #vault: Vault
  /** Folders in which files were created since the last `save`. */
  readonly #unsynced = new Set<string>()
  /** Sessions whose log was written here. */
  readonly #written = new Set<string>()
  #unsaved = 0

  /** Throws `refused` when another process is still writing after `waitMs`: a watch writes at any time, but briefly. */
  constructor(io: Io, waitMs: number = WAIT_MS) {
    this.#io = io
    const lease = takeLease(writerFolder(io), { since: io.now().toISOString() }, { waitMs })
    if (isHolder(lease)) {
      throw new IonError('refused', `another process is writing to the archive (pid ${lease.pid})`, {
        hint: 'wait for it to end and try again',
      })
    }
    this.#lease = lease
    this.#index = new ArchiveIndex(io)
    try {
      this.#index.compact()
    } catch {
      // It only saves space and time. If the disk is full, archiving reports that.
    }
    this.#vault = new Vault(io)
  }

  /** Brings the log and the exact copy of a session up to date. Throws `failed` when it is a link out of the store. */
  capture(agent: Agent, head: SessionHead, { copy = true, force = false }: CaptureOptions = {}): Captured {
    const known = this.#index.get(agent.id, head.id)
    const { path, project, isKnown } = this.#index.logOf(agent.id, head)
    // A session that was moved to another folder is the same to some stores.
    const isInPlace = known?.cwd === head.cwd
    const isLogged = known?.revision === head.revision && isInPlace && isKnown
    const isCopied = !agent.backup || (known?.copied === head.revision && isInPlace && !force)
    if (isLogged && (isCopied || !copy)) return { added: 0, unchanged: true, problems: 0 }
    const outside = whyNotInStore(head, agent, this.#io)
    if (outside !== undefined) throw new IonError('failed', outside)
    const log = isLogged
      ? { added: 0, events: known.events, problems: 0, isComplete: true }
      : this.#log(agent, head, path)
    const uncopied = copy && !isCopied ? this.#copy(agent, head, force) : undefined
    // Without the revision, what could not be read is tried again the next time.
    const revision = log.isComplete ? head.revision : null
    const copied = copy && uncopied === undefined ? head.revision : (known?.copied ?? null)
    this.#index.put(entryOf(agent.id, head, { project, events: log.events, revision, copied }, this.#io))
    if (++this.#unsaved >= INDEX_BATCH) this.save()
    const { added, problems } = log
    return { added, unchanged: isLogged, problems, ...(uncopied === undefined ? {} : { uncopied }) }
  }

  #log(agent: Agent, head: SessionHead, path: string): Logged {
    const reading = readContext(this.#io)
    const log = new ArchiveLog(path, reading)
    try {
      const result = log.addAll(agent.read(head, reading))
      log.save()
      if (log.added > 0) {
        this.#written.add(head.id)
        this.#unsynced.add(dirname(path))
      }
      return { added: log.added, events: log.events, ...result }
    } finally {
      log.close()
    }
  }

  /** Path of the session's log. */
  logOf(agent: Agent, head: SessionHead): string {
    return this.#index.logOf(agent.id, head).path
  }

  /** Why the copy failed; undefined when it did not. Throws when the disk is full, which concerns all sessions. */
  #copy(agent: Agent, head: SessionHead, force: boolean): string | undefined {
    try {
      this.#vault.backUp(agent, head, { force, unsynced: this.#unsynced })
      return undefined
    } catch (error) {
      if (isDiskFull(error)) throw error
      return messageOf(error)
    }
  }

  /** Why a log may not be added to the archived session of its id; undefined where it may. */
  conflictWith(start: SessionStart, events: Iterable<IonEvent>): Conflict | undefined {
    const { path } = this.#importedLog(start)
    const known = archivedHead(start.session_id, this.#io)
    if (!known) return undefined
    const { agent, native_id, project } = start
    const isSame = known.agent === agent && known.native_id === native_id && known.path.startsWith(path)
    if (!isSame) return { kind: 'unrelated', event: start.id, print: `${agent} ${native_id} ${project}` }
    const log = new ArchiveLog(path, readContext(this.#io))
    try {
      return conflictOf(log, events)
    } finally {
      log.close()
    }
  }

  #importedLog({ session_id: id, agent, cwd, project }: SessionStart): Pick<LogLocation, 'path' | 'project'> {
    const known = this.#index.logOf(agent, { id, cwd })
    return known.isKnown ? known : { path: archiveFile(id, project, this.#io), project }
  }

  /** Imports a log that was checked. Returns how many events were new. */
  import(start: SessionStart, events: Iterable<IonEvent>): number {
    const { session_id: id, agent } = start
    const { path, project } = this.#importedLog(start)
    const log = new ArchiveLog(path, readContext(this.#io))
    let updated = start.timestamp
    try {
      for (const event of events) {
        log.add(event)
        if (!event.timestamp_guessed && event.timestamp > updated) updated = event.timestamp
      }
      log.save()
    } finally {
      log.close()
    }
    if (log.added === 0) return 0
    const session = { ...start, id, created_at: start.timestamp, updated_at: updated, model: start.model ?? null }
    this.#index.put(entryOf(agent, session, { project, events: log.events, revision: null, copied: null }, this.#io))
    return log.added
  }

  /**
   * Compresses logs and copies of sessions that have not changed for long, up to a limit. Not what was archived here: that
   * would double the time of a first archive, and the next call compresses it just as well.
   */
  compressOld(): CompressionResult {
    const changes = this.#index.changes()
    const now = this.#io.now().getTime()
    const result = compressOldLogs(this.#io, (id) => (this.#written.has(id) ? now : changes.get(id)))
    return { ...result, problems: [...result.problems, ...this.#vault.pack()] }
  }

  /** Removes pieces of exact copies that no session uses any more. */
  sweep(agents: readonly Agent[]): number {
    return this.#vault.sweep(agents)
  }

  /** Logs and copies are on the disk before the index says so. */
  save(): void {
    for (const folder of this.#unsynced) syncFolder(folder)
    this.#unsynced.clear()
    this.#index.save()
    this.#unsaved = 0
  }

  close(): void {
    try {
      this.save()
    } finally {
      this.#lease.release()
    }
  }
}

/** A header may differ: titles change, and paths are those of another machine. */
function conflictOf(log: ArchiveLog, events: Iterable<IonEvent>): Conflict | undefined {
  let firstNew: Omit<Conflict, 'kind'> | undefined
  let shared = 0
  for (const event of events) {
    if (event.type === 'session_start') continue
    const { state, print } = log.compare(event)
    if (state === 'changed') return { kind: 'rewrites', event: event.id, print: print.toString(36) }
    if (state === 'same') shared++
    else firstNew ??= { event: event.id, print: print.toString(36) }
  }
  // The header is one of the log's events.
  return shared === 0 && firstNew && log.events > 1 ? { kind: 'unrelated', ...firstNew } : undefined
}
