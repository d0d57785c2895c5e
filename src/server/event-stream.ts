import type { Socket } from 'node:net'
import type { ChangeLog } from './change-log.ts'
import type { Frame } from './sse-event.ts'

/** What a stream tells: first how things stand, then what changes. */
export interface Feed {
  readonly log: ChangeLog<Frame>
  /** How things stand, in the order in which they are told. `after`: messages before that one are known already. */
  standing(after: number | undefined): Standing
}

export interface Standing {
  /** The long part; the very same list as long as nothing in it changes. */
  readonly history: readonly Frame[]
  /** What comes after it; at least one. */
  readonly now: readonly Frame[]
}

export interface StreamOptions {
  /** How often each stream gets a sign of life. */
  readonly heartbeatMs: number
  /** More readers than this are sent away. */
  readonly most: number
}

interface Reader {
  readonly socket: Socket
  /** Whether HTTP wants a length before each piece; not so for an old client. */
  readonly isChunked: boolean
  /** What is still to be told of how things stand; then changes follow from `seq` on. */
  standing: readonly Buffer[]
  told: number
  seq: number
  /** Signs of life since it last took something. */
  missed: number
  /** Bytes that had left for it by then. */
  sent: number
}

/** Changes in one piece, made once for all readers who have seen the same. */
interface Piece {
  readonly bytes: Buffer
  /** Up to here it tells. */
  readonly seq: number
}

/** So much may wait for one reader. Behind that nothing is kept for it: it is told later how things are by then. */
const MOST_UNREAD = 128 * 1024
/** A reader that takes nothing for so many signs of life is gone. */
const MOST_MISSED = 3

/**
 * The readers of one feed. A slow one holds up nobody and costs no memory: it skips what has changed again meanwhile.
 * Written straight to the sockets: a thousand readers get the very same bytes, one write each.
 */
export class EventStreams {
  readonly #feed: Feed
  readonly #options: StreamOptions
  readonly #readers = new Set<Reader>()
  readonly #heartbeat: NodeJS.Timeout
  /** Ids count on from the time of the start, so that they are numbers which grow, and those of an earlier server are known. */
  readonly #era = Date.now()
  readonly #pieces = new WeakMap<readonly Frame[], readonly Buffer[]>()
  #telling: NodeJS.Immediate | undefined

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

  /** Takes over the socket of a response whose head was sent. */
  add(socket: Socket, isChunked: boolean, after: number | undefined, lastEventId: string | undefined): void {
    const known = this.#seqOf(lastEventId)
    const seq = known ?? this.#feed.log.seq
    const standing = known === undefined ? this.#standing(after, seq, isChunked) : []
    const reader = { socket, isChunked, standing, told: 0, seq, missed: 0, sent: 0 }
    this.#readers.add(reader)
    const gone = (): void => void this.#readers.delete(reader)
    socket.on('close', gone).on('error', gone)
    socket.on('drain', () => this.#pump(reader, new Map()))
    this.#pump(reader, new Map())
  }

  /** Something changed. What changes in the same moment is told together. */
  tell(): void {
    this.#telling ??= setImmediate(() => {
      this.#telling = undefined
      const pieces = new Map<number, Piece>()
      for (const reader of this.#readers) this.#pump(reader, pieces)
    })
  }

  close(): void {
    clearInterval(this.#heartbeat)
    clearImmediate(this.#telling)
    for (const { socket } of this.#readers) socket.destroy()
  }

  #pump(reader: Reader, pieces: Map<number, Piece>): void {
    if (reader.told < reader.standing.length) {
      this.#tellStanding(reader)
      if (reader.told < reader.standing.length) return
    }
    while (reader.socket.writableLength < MOST_UNREAD) {
      const key = reader.isChunked ? reader.seq : -1 - reader.seq
      const piece = pieces.get(key) ?? this.#pieceAfter(reader)
      if (!piece) return
      pieces.set(key, piece)
      reader.seq = piece.seq
      reader.socket.write(piece.bytes)
    }
  }

  #pieceAfter({ seq, isChunked }: Reader): Piece | undefined {
    let text = ''
    let last = seq
    while (text.length < MOST_UNREAD) {
      const change = this.#feed.log.next(last)
      if (!change) break
      last = change.seq
      text += change.value.text(this.#era + last)
    }
    return text === '' ? undefined : { bytes: framed(text, isChunked), seq: last }
  }

  #tellStanding(reader: Reader): void {
    const { socket, standing } = reader
    while (reader.told < standing.length && socket.writableLength < MOST_UNREAD) socket.write(standing[reader.told++]!)
    if (reader.told < standing.length) return
    reader.standing = []
    reader.told = 0
  }

  /**
   * In large pieces. Those of the history are made once for all who come until it changes, and without numbers: who is cut
   * off in the middle of it has to begin anew.
   */
  #standing(after: number | undefined, seq: number, isChunked: boolean): Buffer[] {
    const { history, now } = this.#feed.standing(after)
    let pieces = isChunked ? this.#pieces.get(history) : undefined
    pieces ??= piecesOf(history, isChunked)
    if (isChunked) this.#pieces.set(history, pieces)
    return [...pieces, framed(now.map((frame) => frame.text(this.#era + seq)).join(''), isChunked)]
  }

  /** Undefined: from the start. */
  #seqOf(lastEventId: string | undefined): number | undefined {
    if (!lastEventId || !/^\d{1,15}$/.test(lastEventId)) return undefined
    const seq = Number(lastEventId) - this.#era
    return seq >= 0 && seq <= this.#feed.log.seq ? seq : undefined
  }

  #beat(): void {
    const [chunked, plain] = [framed(ALIVE, true), framed(ALIVE, false)]
    for (const reader of this.#readers) {
      const { socket, isChunked } = reader
      const unread = socket.writableLength
      const sent = socket.bytesWritten - unread
      reader.missed = unread === 0 || sent !== reader.sent ? 0 : reader.missed + 1
      reader.sent = sent
      if (reader.missed >= MOST_MISSED) socket.destroy()
      else if (unread === 0) socket.write(isChunked ? chunked : plain)
    }
  }
}

function piecesOf(frames: readonly Frame[], isChunked: boolean): Buffer[] {
  const pieces: Buffer[] = []
  let text = ''
  for (const frame of frames) {
    text += frame.text(0)
    if (text.length < MOST_UNREAD) continue
    pieces.push(framed(text, isChunked))
    text = ''
  }
  return text === '' ? pieces : [...pieces, framed(text, isChunked)]
}

const ALIVE = ': still here\n\n'

/** As HTTP sends a piece of a body whose length nobody knows. */
function framed(text: string, isChunked: boolean): Buffer {
  if (!isChunked) return Buffer.from(text, 'utf8')
  return Buffer.from(`${Buffer.byteLength(text, 'utf8').toString(16)}\r\n${text}\r\n`, 'utf8')
}
