import type { ServerResponse } from 'node:http'
import { basename, dirname } from 'node:path'
import type { PageRow } from '../../catalog/list-page.ts'
import type { Located } from '../../catalog/read-session.ts'
import { FolderWatch, watchInBackground } from '../../live/folder-watch.ts'
import { marksPath } from '../../organise/read-marks.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import type { ChangeEvent } from './contract.ts'
import type { SessionIndex } from './session-index.ts'
import type { SessionListing } from './session-list.ts'
import type { TranscriptChange } from './transcript.ts'
import type { Transcripts } from './transcripts.ts'

/** Where the file system reports no changes, and for the states of agents, they are seen within this time. */
const LOOK_MS = 5000
/** Changes that come together are handled together. */
const GATHER_MS = 50
const HEARTBEAT_MS = 15_000
/** The newest sessions, whose rows are compared; an older one that changes becomes one of them. */
const COMPARED = 200
/** Beyond this, folders are not watched, and changes are seen within `LOOK_MS`. */
const MAX_FOLDERS = 64
const MAX_READERS = 100
/** A reader that takes nothing for so long is dropped: it would keep everything in memory that it was sent. */
const MAX_BUFFERED = 8 * 1024 * 1024

interface Reader {
  readonly response: ServerResponse
  /** The id of the session that it follows. */
  readonly session: string | undefined
  stop: () => void
}

/**
 * Reports to open pages what has changed: rows of the list, and entries of the session that each follows. Without readers it does
 * nothing, and while nothing changes it sends nothing but a comment that keeps the connection open.
 */
export class ChangeFeed {
  readonly #index: SessionIndex
  readonly #listing: SessionListing
  readonly #transcripts: Transcripts
  readonly #io: Io
  readonly #readers = new Set<Reader>()
  readonly #watch = new FolderWatch((path) => this.#onFile(path), watchInBackground)
  readonly #unsubscribe: () => void
  /** What was sent last, by id. */
  #rows = new Map<string, string>()
  /** The folder of the file of each session that is followed. */
  #followed = new Map<string, Located>()
  #timers: NodeJS.Timeout[] = []
  #soon: NodeJS.Timeout | undefined
  #comparing: Promise<void> | undefined
  #isAgain = false

  constructor(index: SessionIndex, listing: SessionListing, transcripts: Transcripts, io: Io) {
    this.#index = index
    this.#listing = listing
    this.#transcripts = transcripts
    this.#io = io
    this.#unsubscribe = index.onChange(() => this.changed())
  }

  get isFull(): boolean {
    return this.#readers.size >= MAX_READERS
  }

  /** Until its connection ends. The response's headers were sent. */
  async add(response: ServerResponse, session: string | undefined): Promise<void> {
    const reader: Reader = { response, session, stop: () => {} }
    this.#readers.add(reader)
    response.once('close', () => this.#remove(reader))
    if (this.#readers.size === 1) await this.#begin()
    if (session !== undefined && this.#readers.has(reader)) await this.#follow(reader, session)
    response.write(': ready\n\n')
  }

  /** Something may be different: rows are compared, and followed sessions are read. */
  changed(): void {
    if (this.#readers.size === 0) return
    void this.#compare()
    this.#lookSoon()
  }

  close(): void {
    this.#unsubscribe()
    for (const reader of [...this.#readers]) {
      this.#remove(reader)
      reader.response.end()
    }
  }

  async #begin(): Promise<void> {
    this.#timers = [
      setInterval(() => {
        this.#index.refreshSoon()
        void this.#compare()
      }, LOOK_MS).unref(),
      setInterval(() => {
        for (const { response } of this.#readers) response.write(': \n\n')
      }, HEARTBEAT_MS).unref(),
    ]
    this.#rows = new Map()
    await this.#compare()
  }

  #remove(reader: Reader): void {
    if (!this.#readers.delete(reader)) return
    reader.stop()
    const isFollowed = [...this.#readers].some(({ session }) => session === reader.session)
    if (reader.session !== undefined && !isFollowed) this.#followed.delete(reader.session)
    if (this.#readers.size > 0) return
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#soon)
    this.#soon = undefined
    this.#watch.set([])
    this.#followed.clear()
  }

  async #follow(reader: Reader, session: string): Promise<void> {
    const located = this.#locate(session)
    if (!located) return
    this.#followed.set(session, located)
    reader.stop = this.#transcripts.follow(located, (change) => this.#send(reader, eventOf(session, change)))
    // What it has now, the reader was or will be sent as a window.
    await this.#transcripts.get(located)
    if (this.#readers.has(reader))
      this.#send(reader, { type: 'ready', session, version: this.#transcripts.versionOf(located) })
    this.#watchFolders([...this.#newest()])
  }

  #locate(session: string): Located | undefined {
    return attempt(() => this.#index.locate(this.#index.catalog.find(session)))
  }

  #onFile(path: string): void {
    const name = basename(path)
    // What readers of a database leave beside it, Ion itself among them.
    if (/-shm$|\.tmp$|^catalog\.|\.list$/.test(name)) return
    if (path === marksPath(this.#io)) {
      this.changed()
      return
    }
    if ([...this.#followed.values()].some(({ head }) => dirname(head.path) === dirname(path))) this.#lookSoon()
    this.#index.refreshSoon()
  }

  /** Reads the followed sessions. */
  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      for (const session of this.#followed.keys()) {
        const located = this.#locate(session)
        if (!located) continue
        this.#followed.set(session, located)
        this.#transcripts.get(located).catch(() => {})
      }
    }, GATHER_MS).unref()
  }

  /** One at a time; a call meanwhile causes another one. */
  #compare(): Promise<void> {
    if (this.#comparing) {
      this.#isAgain = true
      return this.#comparing
    }
    this.#comparing = this.#compareOnce()
      .catch(() => {})
      .finally(() => {
        this.#comparing = undefined
        if (!this.#isAgain) return
        this.#isAgain = false
        void this.#compare()
      })
    return this.#comparing
  }

  async #compareOnce(): Promise<void> {
    if (this.#readers.size === 0) return
    const newest = this.#newest()
    const sessions = await this.#listing.listed(newest)
    const rows = new Map(sessions.map((session) => [session.id, toJsonText(session)]))
    const isFirst = this.#rows.size === 0
    const changed = sessions.filter(({ id }) => rows.get(id) !== this.#rows.get(id))
    const removed = [...this.#rows.keys()].filter((id) => !rows.has(id) && !this.#locate(id))
    this.#rows = rows
    this.#watchFolders(newest)
    if (isFirst || changed.length + removed.length === 0) return
    this.#broadcast({ type: 'sessions', changed, removed })
  }

  #newest(): readonly PageRow[] {
    return this.#index.catalog.pageRows({ subAgents: true, hidden: true, limit: COMPARED })
  }

  /** The folders of the newest sessions and those above, where new ones appear, and of what is followed. */
  #watchFolders(newest: readonly PageRow[]): void {
    const paths = [
      marksPath(this.#io),
      ...[...this.#followed.values()].map(({ head }) => head.path),
      ...newest.slice(0, MAX_FOLDERS).map(({ path }) => path),
    ]
    const folders = new Set<string>()
    for (const path of paths) {
      folders.add(dirname(path))
      if (path !== paths[0]) folders.add(dirname(dirname(path)))
      if (folders.size >= MAX_FOLDERS) break
    }
    this.#watch.set(folders)
  }

  #broadcast(event: ChangeEvent): void {
    for (const reader of this.#readers) this.#send(reader, event)
  }

  #send(reader: Reader, event: ChangeEvent): void {
    const { response } = reader
    if (response.writableLength > MAX_BUFFERED) {
      this.#remove(reader)
      response.destroy()
    } else response.write(`data: ${toJsonText(event)}\n\n`)
  }
}

function eventOf(session: string, change: TranscriptChange): ChangeEvent {
  return change.kind === 'reset' ? { type: 'reset', session } : { type: 'entries', session, entries: change.entries }
}
