import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { readLedger } from '../run/ledger.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable } from '../run/session-lookup.ts'
import type { Task } from '../run/task.ts'
import { type PinnedSession, type TaskState, taskState } from '../run/task-state.ts'
import { Conversation } from './conversation.ts'
import { FolderWatch } from './folder-watch.ts'
import { TranscriptReader } from './transcript-reader.ts'

/** Where nothing tells of changes, they are seen within this time. */
const LOOK_MS = 1000
/** Changes that come together are one. The first of them is not held back. */
const GATHER_MS = 10
/** A store that must be read anew each time is read for at most this part of the time. */
const SHARE = 0.2
/** What is told of a session besides its text, such as its title, is looked up so often while it grows. */
const HEAD_MS = 3000

/** Where the files say that nothing changed, the store is asked all the same from time to time. */
const WHOLE_LOOK_MS = 15_000

const noConversation = new Conversation()

/** Follows the task: its ledger, which session it has, and what the agent writes into it. */
export class Transcript {
  readonly #agent: Agent
  readonly #task: Task
  readonly #io: Io
  readonly #onChange: () => void
  readonly #onTrouble: (trouble: string) => void
  readonly #store: SessionLookup
  readonly #watch = new FolderWatch(() => this.lookSoon())
  #ledgerStamp = ''
  #state: TaskState = taskState([])
  #reader: TranscriptReader | undefined
  #found: LocatedSession | undefined
  #revision: string | undefined
  #stamp: string | undefined
  #foundAt = 0
  #notBefore = 0
  #trouble: string | undefined
  #soon: NodeJS.Timeout | undefined
  #slow: NodeJS.Timeout | undefined
  #headAt = 0
  #headTimer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isAgain = false

  constructor(agent: Agent, task: Task, io: Io, onChange: () => void, onTrouble: (trouble: string) => void = () => {}) {
    this.#agent = agent
    this.#task = task
    this.#io = io
    this.#onChange = onChange
    this.#onTrouble = onTrouble
    this.#store = new SessionLookup(agent, io, task.folder)
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

  /** Looks for the first time, and from then on by itself. */
  async begin(): Promise<void> {
    await this.look()
    this.#slow = setInterval(() => this.lookSoon(), LOOK_MS)
    this.#slow.unref()
  }

  close(): void {
    clearInterval(this.#slow)
    clearTimeout(this.#soon)
    clearTimeout(this.#headTimer)
    this.#watch.close()
    this.#reader?.close()
  }

  /** Something may have changed. */
  lookSoon(): void {
    if (this.#soon) return
    const wait = Math.max(0, this.#notBefore - performance.now())
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.look()
    }, wait)
  }

  /** Looks, one at a time; a call meanwhile makes it look once more. */
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
      this.#watch.set([this.#task.folder, ...(this.#found?.files ?? []).map((file) => dirname(file))])
      this.#trouble = undefined
      if (isNewLedger || isNewText) this.#onChange()
    } catch (error) {
      // The agent is writing: the next look sees it.
      if (error instanceof StoreUnreadable && error.isPassing) return
      const trouble = messageOf(error)
      if (trouble !== this.#trouble) this.#onTrouble(`the transcript cannot be read: ${trouble}`)
      this.#trouble = trouble
    }
  }

  #lookAtLedger(): boolean {
    const stat = statSync(join(this.#task.folder, 'ledger.jsonl'), { throwIfNoEntry: false })
    const stamp = stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''
    if (stamp === this.#ledgerStamp) return false
    this.#ledgerStamp = stamp
    this.#state = taskState(readLedger(this.#task.folder).entries)
    return true
  }

  async #lookAtSession(): Promise<boolean> {
    const pinned = this.#state.session ?? this.#expected()
    if (!pinned) return this.#forget()
    if (this.#found && this.#found.head.native_id !== pinned.native_id) this.#forget()
    if (this.#reader?.canGoOn) return this.#goOn()
    const stamp = this.#found ? stampOf(this.#found.files) : undefined
    // Looking into a database touches it, and the watch tells of that: without this it would never end.
    if (stamp !== undefined && stamp === this.#stamp && performance.now() - this.#foundAt < WHOLE_LOOK_MS) return false
    this.#stamp = stamp
    this.#foundAt = performance.now()
    const found = this.#store.find(pinned.native_id, this.#found?.files ?? pinned.files)
    if (!found) return this.#forget()
    if (found.head.revision === this.#revision) return false
    const began = performance.now()
    this.#found = found
    this.#reader ??= new TranscriptReader(this.#agent, this.#io)
    await this.#reader.read(found.head)
    this.#revision = found.head.revision
    this.#headAt = performance.now()
    this.#notBefore = performance.now() + (performance.now() - began) * (1 / SHARE - 1)
    return true
  }

  /** What a cold start is about to make, where its name was chosen: it is seen before the run has written it down. */
  #expected(): Pick<PinnedSession, 'native_id' | 'files'> | undefined {
    const attempt = this.#state.attempts.at(-1)
    const naming = attempt?.sessionId ?? this.#agent.start?.sessionId
    return attempt && naming === 'assigned' ? { native_id: attempt.session, files: [] } : undefined
  }

  async #goOn(): Promise<boolean> {
    if (performance.now() - this.#headAt > HEAD_MS && !this.#headTimer) this.#refreshHead()
    return this.#reader!.goOn()
  }

  /** Afterwards, since what was said is awaited, and its title is not. */
  #refreshHead(): void {
    this.#headTimer = setTimeout(() => {
      this.#headTimer = undefined
      this.#headAt = performance.now()
      try {
        const found = this.#found && this.#store.find(this.#found.head.native_id, this.#found.files)
        const isNews = found !== undefined && found.head.title !== this.#found?.head.title
        this.#found = found ?? this.#found
        if (isNews) this.#onChange()
      } catch (error) {
        if (!(error instanceof StoreUnreadable)) throw error
      }
    }, HEAD_MS / 10)
    this.#headTimer.unref()
  }

  #forget(): boolean {
    const hadOne = this.#found !== undefined
    this.#reader?.close()
    this.#reader = undefined
    this.#found = undefined
    this.#revision = undefined
    this.#stamp = undefined
    return hadOne
  }
}

/** Of the files, of what SQLite keeps beside one, and of their folders. */
function stampOf(files: readonly string[]): string {
  const all = new Set(files.flatMap((file) => [file, `${file}-wal`, dirname(file)]))
  return [...all]
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat ? `${stat.ino}:${stat.isDirectory() ? '' : stat.size}:${stat.mtimeMs}` : ''
    })
    .join(' ')
}
