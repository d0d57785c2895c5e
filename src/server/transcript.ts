import { basename, dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { FolderWatch, watchInBackground } from '../live/folder-watch.ts'
import { MTIME_RESOLUTION_MS, SeenFiles } from '../live/seen-files.ts'
import { type FileStamp, stampOf } from '../native/walk.ts'
import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { ledgerStamp, readLedger } from '../run/ledger.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable } from '../run/session-lookup.ts'
import type { Task } from '../run/task.ts'
import { type PinnedSession, type TaskState, taskState } from '../run/task-state.ts'
import { AnswerLog, type RecordedAnswer } from './answers.ts'
import { Conversation } from './conversation.ts'
import { TranscriptReader } from './transcript-reader.ts'

/** Where the file system reports no changes, they are seen within this time. */
const LOOK_MS = 1000
/** Changes that come together are handled together. The first of them is not delayed. */
const GATHER_MS = 10
/** A session that must be read whole each time is read for at most this share of the time. */
const WHOLE_READ_SHARE = 0.2
/** While a session grows, its head (such as the title) is refreshed at this interval. */
const HEAD_MS = 3000
/** Even when its files seem unchanged, the session is looked up in the store at this interval. */
const LOOKUP_MS = 15_000
/** A lookup may list all sessions of a large database; it takes at most this share of the time. */
const LOOKUP_SHARE = 0.02
/** Beyond this, folders are not watched, and changes are seen within `LOOK_MS`. */
const MAX_FOLDERS = 32

/** Written by the server itself: SQLite's shared memory, where a reader leaves its lock, and the state saved after a change. */
const OWN_WRITES = /-shm$|\.tmp$|^agentapi-state\.json/

const noConversation = new Conversation()

/** Follows a task: its ledger, its session, what the agent writes into that, and what it was answered. */
export class Transcript {
  readonly #agent: Agent
  readonly #task: Task
  readonly #io: Io
  readonly #onChange: () => void
  readonly #onTrouble: (trouble: string) => void
  readonly #store: SessionLookup
  readonly #watch = new FolderWatch((path) => {
    if (!OWN_WRITES.test(basename(path))) this.lookSoon()
  }, watchInBackground)
  readonly #seen: SeenFiles
  readonly #answers: AnswerLog
  #ledgerStamp = ''
  #state: TaskState = taskState([])
  #reader: TranscriptReader | undefined
  #found: LocatedSession | undefined
  #revision: string | undefined
  /** When the session is next looked up, and when its head may be refreshed. */
  #lookupAt = 0
  #headAt = 0
  #notBefore = 0
  #trouble: string | undefined
  #soon: NodeJS.Timeout | undefined
  #interval: NodeJS.Timeout | undefined
  #headTimer: NodeJS.Timeout | undefined
  #unsureTimer: NodeJS.Timeout | undefined
  #isClosed = false
  #looking: Promise<void> | undefined
  #isAgain = false

  constructor(agent: Agent, task: Task, io: Io, onChange: () => void, onTrouble: (trouble: string) => void = () => {}) {
    this.#agent = agent
    this.#task = task
    this.#io = io
    this.#onChange = onChange
    this.#onTrouble = onTrouble
    this.#store = new SessionLookup(agent, io, task.folder)
    this.#seen = new SeenFiles(io)
    this.#answers = new AnswerLog(task.folder)
  }

  get state(): TaskState {
    return this.#state
  }

  /** The session as its store has it; undefined when there is none yet, or it is gone. */
  get head(): SessionHead | undefined {
    return this.#found?.head
  }

  get conversation(): Conversation {
    return this.#reader?.conversation ?? noConversation
  }

  /** What the agent asked in this session, and was answered through Ion. */
  get answers(): readonly RecordedAnswer[] {
    return this.#answers.of(this.head?.native_id, this.#state.past.length)
  }

  /** Reads everything once, and follows from then on. */
  async begin(): Promise<void> {
    await this.look()
    this.#interval = setInterval(() => this.lookSoon(), LOOK_MS)
    this.#interval.unref()
  }

  close(): void {
    this.#isClosed = true
    for (const timer of [this.#interval, this.#soon, this.#headTimer, this.#unsureTimer]) clearTimeout(timer)
    this.#watch.close()
    this.#reader?.close()
  }

  /** Something may have changed. */
  lookSoon(): void {
    if (this.#soon || this.#isClosed) return
    const wait = Math.max(0, this.#notBefore - performance.now())
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.look()
    }, wait)
  }

  /** One look at a time; a call during a look causes another one. */
  look(): Promise<void> {
    if (this.#looking) {
      this.#isAgain = true
      return this.#looking
    }
    this.#looking = this.#lookOnce().finally(() => {
      this.#looking = undefined
      this.#notBefore = Math.max(this.#notBefore, performance.now() + GATHER_MS)
      if (!this.#isAgain) return
      this.#isAgain = false
      this.lookSoon()
    })
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    try {
      const isNewLedger = this.#lookAtLedger()
      const isNewText = await this.#lookAtSession()
      const isNewAnswer = this.#answers.look(this.#onTrouble)
      if (this.#isClosed) return
      const folders = [this.#task.folder, ...(this.#found?.files ?? []).map((file) => dirname(file))]
      this.#watch.set(new Set(folders.slice(0, MAX_FOLDERS)))
      this.#trouble = undefined
      if (isNewLedger || isNewText || isNewAnswer) this.#onChange()
    } catch (error) {
      this.#seen.forget()
      // The agent is writing: the next look succeeds.
      if (error instanceof StoreUnreadable && error.isTransient) return
      const trouble = messageOf(error)
      if (trouble !== this.#trouble) this.#onTrouble(`the transcript cannot be read: ${trouble}`)
      this.#trouble = trouble
    }
  }

  #lookAtLedger(): boolean {
    const stamp = ledgerStamp(this.#task.folder)
    if (stamp === this.#ledgerStamp) return false
    this.#ledgerStamp = stamp
    this.#state = taskState(readLedger(this.#task.folder).entries)
    return true
  }

  async #lookAtSession(): Promise<boolean> {
    const pinned = this.#state.session ?? this.#expected()
    if (!pinned) return this.#forget()
    if (this.#found && this.#found.head.native_id !== pinned.native_id) this.#forget()
    const continues = this.#reader?.continues
    if (continues === 'lines') return this.#continue()
    const isLookupDue = performance.now() > this.#lookupAt
    // Reading a database touches it, which the watch reports: without this check it would be read without end.
    const isChanged = this.#found !== undefined && this.#areChanged(this.#found.files)
    if (this.#found && !isChanged && !isLookupDue) return false
    const isNewText = await (continues === 'rows' && !isLookupDue ? this.#continue() : this.#lookUp(pinned))
    if (this.#reader?.isComplete === false) this.#seen.forget()
    return isNewText
  }

  /** Finds the session in the store, and reads it unless that is in the state which was read last. */
  async #lookUp({ native_id, files }: Pick<PinnedSession, 'native_id' | 'files'>): Promise<boolean> {
    const found = this.#findSession(native_id, this.#found?.files ?? files)
    if (!found) return this.#forget()
    if (found.head.revision === this.#revision) return false
    if (!this.#found) this.#seen.note(sessionStamps(found.files))
    this.#found = found
    this.#reader ??= new TranscriptReader(this.#agent, this.#io)
    const began = performance.now()
    const isChanged = await this.#reader.read(found.head, 'all')
    if (this.#reader.isComplete) this.#revision = found.head.revision
    if (this.#reader.continues) return isChanged
    this.#notBefore = performance.now() + (performance.now() - began) * (1 / WHOLE_READ_SHARE - 1)
    return isChanged
  }

  #findSession(nativeId: string, files: readonly string[]): LocatedSession | undefined {
    const began = performance.now()
    try {
      return this.#store.find(nativeId, files)
    } finally {
      const now = performance.now()
      const rest = (now - began) / LOOKUP_SHARE
      this.#lookupAt = now + Math.max(LOOKUP_MS, rest)
      this.#headAt = now + Math.max(HEAD_MS, rest)
    }
  }

  /** The session of a cold start that chose its id: it may exist before the run has recorded it. */
  #expected(): Pick<PinnedSession, 'native_id' | 'files'> | undefined {
    const attempt = this.#state.attempts.at(-1)
    const naming = attempt?.sessionId ?? this.#agent.start?.sessionId
    return attempt && naming === 'assigned' ? { native_id: attempt.session, files: [] } : undefined
  }

  async #continue(): Promise<boolean> {
    if (performance.now() > this.#headAt) this.#refreshHead()
    const isChanged = await this.#reader!.read(this.#found!.head, 'tail')
    // Perhaps it was deleted.
    if (isChanged && this.conversation.size === 0) {
      this.#lookupAt = 0
      this.lookSoon()
    }
    return isChanged
  }

  /** After a delay: readers wait for the text, not for the title. */
  #refreshHead(): void {
    this.#headTimer ??= setTimeout(() => {
      this.#headTimer = undefined
      try {
        const found = this.#found && this.#findSession(this.#found.head.native_id, this.#found.files)
        const isNewTitle = found !== undefined && found.head.title !== this.#found?.head.title
        this.#found = found ?? this.#found
        if (isNewTitle) this.#onChange()
      } catch (error) {
        if (!(error instanceof StoreUnreadable)) throw error
      }
    }, HEAD_MS / 10).unref()
  }

  #areChanged(files: readonly string[]): boolean {
    const stamps = sessionStamps(files)
    const state = this.#seen.compare(stamps)
    if (state === 'changed') this.#seen.note(stamps)
    if (state === 'unsure') {
      clearTimeout(this.#unsureTimer)
      this.#unsureTimer = setTimeout(() => this.lookSoon(), MTIME_RESOLUTION_MS).unref()
    }
    return state === 'changed'
  }

  #forget(): boolean {
    const hadOne = this.#found !== undefined
    this.#reader?.close()
    this.#reader = undefined
    this.#found = undefined
    this.#revision = undefined
    this.#seen.forget()
    return hadOne
  }
}

/** Of the files, of what SQLite keeps beside a database, and of their folders. */
function sessionStamps(files: readonly string[]): FileStamp[] {
  const paths = new Set(files.flatMap((file) => [file, `${file}-wal`, dirname(file)]))
  return [...paths].flatMap((path) => stampOf(path) ?? [])
}
