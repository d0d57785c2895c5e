import type { ServerResponse } from 'node:http'
import type { ChangeLog } from './change-log.ts'
import type { Frame } from './frame.ts'

/** What a stream tells: first how things stand, then what changes. */
export interface Feed {
  readonly log: ChangeLog<Frame>
  /** How things stand, in the order in which they are told. `after`: messages before that one are known already. */
  standing(after: number | undefined): readonly Frame[]
}

export interface StreamOptions {
  /** How often each stream gets a sign of life. */
  readonly heartbeatMs: number
  /** More readers than this are sent away. */
  readonly most: number
}

interface Reader {
  readonly response: ServerResponse
  /** What is still to be told of how things stand; then changes follow from `seq` on. */
  standing: readonly Frame[]
  told: number
  seq: number
  /** Signs of life since it last took something. */
  missed: number
  /** Bytes that had left for it by then. */
  sent: number
}

/** So much may wait for one reader. Behind that nothing is kept for it: it is told later how things are by then. */
const MOST_UNREAD = 64 * 1024
/** A reader that takes nothing for so many signs of life is gone. */
const MOST_MISSED = 3

/** The readers of one feed. A slow one holds up nobody and costs no memory: it skips what has changed again meanwhile. */
export class EventStreams {
  readonly #feed: Feed
  readonly #options: StreamOptions
  readonly #readers = new Set<Reader>()
  readonly #heartbeat: NodeJS.Timeout
  /** Ids count on from the time of the start, so that they are numbers which grow, and those of an earlier server are known. */
  readonly #era = Date.now()

  constructor(feed: Feed, options: StreamOptions) {
    this.#feed = feed
    this.#options = options
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs)
    this.#heartbeat.unref()
  }

  get count(): number {
    return this.#readers.size
  }

  get isFull(): boolean {
    return this.#readers.size >= this.#options.most
  }

  /** Takes over a response whose head was written. */
  add(response: ServerResponse, after: number | undefined, lastEventId: string | undefined): void {
    const seq = this.#seqOf(lastEventId)
    const standing = seq === undefined ? this.#feed.standing(after) : []
    const reader: Reader = { response, standing, told: 0, seq: seq ?? this.#feed.log.seq, missed: 0, sent: 0 }
    this.#readers.add(reader)
    const gone = (): void => void this.#readers.delete(reader)
    response.on('close', gone).on('error', gone)
    response.on('drain', () => this.#pump(reader))
    this.#pump(reader)
  }

  /** Something changed. */
  tell(): void {
    for (const reader of this.#readers) this.#pump(reader)
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const { response } of this.#readers) response.end()
  }

  #pump(reader: Reader): void {
    const { response, standing } = reader
    const { log } = this.#feed
    if (reader.told < standing.length) {
      this.#tellStanding(reader)
      if (reader.told < standing.length) return
    }
    while (response.writableLength < MOST_UNREAD) {
      const change = log.next(reader.seq)
      if (!change) return
      reader.seq = change.seq
      response.write(change.value.bytes(this.#era + change.seq))
    }
  }

  /** In large pieces. Who is cut off in the middle of it has to begin anew: only the last one has a number. */
  #tellStanding(reader: Reader): void {
    const { response, standing } = reader
    while (reader.told < standing.length && response.writableLength < MOST_UNREAD) {
      let text = ''
      while (reader.told < standing.length && text.length < MOST_UNREAD) {
        const isLast = reader.told === standing.length - 1
        text += standing[reader.told++]!.text(isLast ? this.#era + reader.seq : 0)
      }
      response.write(text)
    }
    if (reader.told === standing.length) {
      reader.standing = []
      reader.told = 0
    }
  }

  /** Undefined: from the start. */
  #seqOf(lastEventId: string | undefined): number | undefined {
    if (!lastEventId || !/^\d{1,15}$/.test(lastEventId)) return undefined
    const seq = Number(lastEventId) - this.#era
    return seq >= 0 && seq <= this.#feed.log.seq ? seq : undefined
  }

  #beat(): void {
    for (const reader of this.#readers) {
      const { response } = reader
      const unread = response.writableLength
      const sent = (response.socket?.bytesWritten ?? 0) - unread
      reader.missed = unread === 0 || sent !== reader.sent ? 0 : reader.missed + 1
      reader.sent = sent
      if (reader.missed >= MOST_MISSED) response.destroy()
      else if (unread === 0) response.write(': still here\n\n')
    }
  }
}
