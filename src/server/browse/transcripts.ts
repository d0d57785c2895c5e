import type { Located } from '../../catalog/read-session.ts'
import { isOfLines, sizeOf } from '../../catalog/read-tail.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { LineWindows } from './line-windows.ts'
import type { Transcript, TranscriptChange } from './transcript.ts'
import { WholeTranscript } from './whole-transcript.ts'

/** Larger files of lines are read in windows. */
const LARGE = 4 * 1024 * 1024
const MAX_OPEN = 6
const IDLE_MS = 5 * 60_000

interface Open {
  readonly id: number
  readonly path: string
  readonly transcript: Transcript
  usedAt: number
  /** How often something was found. */
  changes: number
  /** The look that is under way; another one waits for it. */
  looking: Promise<unknown>
  readonly followers: Set<(change: TranscriptChange) => void>
}

/** The sessions that are being looked at. They are closed some time after the last request. */
export class Transcripts {
  readonly #io: Io
  readonly #open = new Map<string, Open>()
  /** Another process counts otherwise, so that its versions are others. */
  #opened = Date.now()
  readonly #onRead: ((bytes: number) => void) | undefined
  readonly #timer: NodeJS.Timeout

  constructor(io: Io, onRead?: (bytes: number) => void) {
    this.#io = io
    this.#onRead = onRead
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 5).unref()
  }

  /** Brought up to date; whoever follows it gets what has changed. Looks at one session come one after the other. */
  async get(located: Located): Promise<Transcript> {
    const open = this.#openOf(located)
    open.usedAt = performance.now()
    const look = open.looking.then(() => open.transcript.look(located))
    open.looking = look.catch(() => {})
    const change = await look
    const isFirst = open.changes === 0
    if (change || isFirst) open.changes++
    // What is there at first is asked for as windows.
    if (change && !isFirst) for (const follower of open.followers) follower(change)
    return open.transcript
  }

  /** Of what was read so far: as long as it is the same, a window has everything, and the next change is the next thing to know. */
  versionOf(located: Located): string {
    const { id, changes } = this.#openOf(located)
    return `${id}.${changes}`
  }

  /** From now on, until the returned function is called. The session stays open until then. */
  follow(located: Located, onChange: (change: TranscriptChange) => void): () => void {
    const { followers } = this.#openOf(located)
    followers.add(onChange)
    return () => followers.delete(onChange)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const { transcript } of this.#open.values()) transcript.close()
    this.#open.clear()
  }

  #openOf(located: Located): Open {
    const { head } = located
    const key = `${head.agent} ${head.id}`
    const known = this.#open.get(key)
    if (known && known.path === head.path) return known
    known?.transcript.close()
    // It is in another file now, such as the archive's.
    for (const follower of known?.followers ?? []) follower({ kind: 'reset' })
    const open: Open = {
      id: ++this.#opened,
      path: head.path,
      transcript: this.#create(located),
      usedAt: performance.now(),
      changes: 0,
      looking: Promise.resolve(),
      followers: known?.followers ?? new Set(),
    }
    this.#open.set(key, open)
    if (this.#open.size > MAX_OPEN) this.#closeOldest()
    return open
  }

  #create(located: Located): Transcript {
    const { head, reader } = located
    const size = isOfLines(reader, head, this.#io) ? (attempt(() => sizeOf(head.path)) ?? 0) : 0
    return size > LARGE ? new LineWindows(located, this.#io, this.#onRead) : new WholeTranscript(located, this.#io)
  }

  #closeOldest(): void {
    const unused = [...this.#open].filter(([, { followers }]) => followers.size === 0)
    const oldest = unused.sort(([, a], [, b]) => a.usedAt - b.usedAt)[0]
    if (oldest) this.#drop(oldest[0])
  }

  #closeIdle(): void {
    for (const [key, { usedAt, followers }] of this.#open) {
      if (followers.size === 0 && performance.now() - usedAt > IDLE_MS) this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#open.get(key)?.transcript.close()
    this.#open.delete(key)
  }
}
