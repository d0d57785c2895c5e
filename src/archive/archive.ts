import type { Agent } from '../agents/agent.ts'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { isEvent, isProblem, isTransient } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { IonError, isDiskFull, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, takeLease } from '../platform/lease.ts'
import { Vault } from '../vault/vault.ts'
import { ArchiveIndex, entryOf } from './archive-index.ts'
import { ArchiveLog } from './archive-log.ts'
import { archiveFile, writerFolder } from './archive-paths.ts'
import { type CompressionResult, coolLogs } from './compress-old-logs.ts'

export interface Captured {
  /** Events that were not in the archive before. */
  readonly added: number
  /** The body was not even read: nothing had changed. */
  readonly unchanged: boolean
  /** Records that could not be read. */
  readonly problems: number
  /** Why no exact copy for `ion restore` could be made this time. */
  readonly uncopied?: string
}

export interface CaptureOptions {
  /** False for a session that is being written: its exact copy can wait until it is quiet. */
  readonly copy?: boolean
  /** The exact copy is made again, and what is damaged in it is mended. */
  readonly force?: boolean
}

interface Logged {
  readonly added: number
  readonly events: number
  readonly problems: number
  /** Nothing was left out that a second look could find. */
  readonly isWhole: boolean
}

const WAIT_MS = 2000

/** So many sessions are archived before their lines in the index are written. */
const INDEX_BATCH = 100

/** Ion's own copies, for one writer at a time. What an agent later drops, rewrites or deletes stays in them. */
export class Archive {
  readonly #io: Io
  readonly #lease: Lease
  readonly #index: ArchiveIndex
  readonly #vault: Vault
  #unsaved = 0

  /**
   * Throws `refused` when another process writes and does not end within `waitMs`: a watch writes for a moment, and at
   * any time.
   */
  constructor(io: Io, waitMs: number = WAIT_MS) {
    this.#io = io
    const lease = takeLease(writerFolder(io), { since: io.now().toISOString() }, { waitMs })
    if (isHolder(lease)) {
      throw new IonError('refused', `another process writes into the archive (pid ${lease.pid})`, {
        hint: 'wait for it, and try again',
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

  /** Brings the log and the exact copy of a session up to date. */
  capture(agent: Agent, head: SessionHead, { copy = true, force = false }: CaptureOptions = {}): Captured {
    const known = this.#index.get(agent.id, head.id)
    const { path, project, isKnown } = this.#index.logOf(agent.id, head)
    const isLogged = known?.revision === head.revision && isKnown
    const isCopied = !agent.backup || (known?.copied === head.revision && !force)
    if (isLogged && (isCopied || !copy)) return { added: 0, unchanged: true, problems: 0 }
    const log = isLogged ? { added: 0, events: known.events, problems: 0, isWhole: true } : this.#log(agent, head, path)
    const uncopied = copy && !isCopied ? this.#copy(agent, head, force) : undefined
    // What could not be read this time is tried again.
    const revision = log.isWhole ? head.revision : null
    const copied = copy && uncopied === undefined ? head.revision : (known?.copied ?? null)
    this.#index.put(entryOf(agent, head, { project, events: log.events, revision, copied }, this.#io))
    if (++this.#unsaved >= INDEX_BATCH) this.save()
    const { added, problems } = log
    return { added, unchanged: isLogged, problems, ...(uncopied === undefined ? {} : { uncopied }) }
  }

  #log(agent: Agent, head: SessionHead, path: string): Logged {
    const reading = readContext(this.#io)
    const log = new ArchiveLog(path, reading)
    let problems = 0
    let isWhole = true
    try {
      for (const item of agent.read(head, reading)) {
        if (isEvent(item)) log.add(item.event)
        else if (isProblem(item)) {
          problems++
          if (isTransient(item)) isWhole = false
        }
      }
      log.save()
    } finally {
      log.close()
    }
    return { added: log.added, events: log.events, problems, isWhole }
  }

  /** The log of a session. */
  logOf(agent: Agent, head: SessionHead): string {
    return this.#index.logOf(agent.id, head).path
  }

  /** Why it could not be done; undefined when it was. A full disk is not a fault of this session. */
  #copy(agent: Agent, head: SessionHead, force: boolean): string | undefined {
    try {
      this.#vault.backUp(agent, head, { force })
      return undefined
    } catch (error) {
      if (isDiskFull(error)) throw error
      return messageOf(error)
    }
  }

  /** Takes in a log from elsewhere, whose every line was checked. Returns how many events were new. */
  import(start: SessionStart, events: Iterable<IonEvent>): number {
    const { session_id: id, agent, cwd } = start
    const place = this.#index.logOf(agent, { id, cwd })
    const project = place.isKnown ? place.project : start.project
    const log = new ArchiveLog(archiveFile(id, project, this.#io), readContext(this.#io))
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
    this.#index.put({
      id,
      agent,
      native_id: start.native_id,
      title: start.title,
      cwd,
      project,
      created_at: start.timestamp,
      updated_at: updated,
      model: start.model ?? null,
      events: log.events,
      revision: null,
      copied: null,
      archived_at: this.#io.now().toISOString(),
    })
    return log.added
  }

  /** Compresses logs and copies of sessions that have not changed for long, as many as can be done in a moment. */
  cool(): CompressionResult {
    const changes = this.#index.changes()
    const cooled = coolLogs(this.#io, (id) => changes.get(id))
    return { ...cooled, problems: [...cooled.problems, ...this.#vault.pack()] }
  }

  /** Removes pieces of exact copies that no session needs any more. */
  sweep(agents: readonly Agent[]): number {
    return this.#vault.sweep(agents)
  }

  save(): void {
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
