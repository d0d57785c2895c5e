import type { ServerResponse } from 'node:http'
import { toJsonText } from '../platform/json-text.ts'
import type { ChangeLog } from './change-log.ts'

/**
 * The form of an event: `full`, or the one that clients of AgentAPI read. Coder's Go client gives up on an event of 128 KiB
 * and on any other than messages and the status, even on AgentAPI's own `agent_error`.
 */
export type EventForm = 'agentapi' | 'full'

/** One server-sent event. It is serialized when first needed, once for all readers of a form. */
export class SseEvent {
  readonly #name: string
  readonly #data: (form: EventForm) => object | undefined
  readonly #fields: { [Form in EventForm]?: string } = {}

  /** `data`: undefined for a form in which the event does not exist. */
  constructor(name: string, data: (form: EventForm) => object | undefined) {
    this.#name = name
    this.#data = data
  }

  /** `id`: a reader that reconnects with it continues after it. Empty if the event does not exist in this form. */
  serialize(id: number, form: EventForm): string {
    this.#fields[form] ??= this.#serializeFields(form)
    return this.#fields[form] === '' ? '' : `${this.#fields[form]}id: ${id}\n\n`
  }

  #serializeFields(form: EventForm): string {
    const data = this.#data(form)
    return data === undefined ? '' : `event: ${this.#name}\ndata: ${toJsonText(data)}\n`
  }
}

/** What a stream sends: first the current state, then every change. */
export interface Feed {
  readonly log: ChangeLog<SseEvent>
  /** The current state, in order. `after`: the reader already has the messages before this id. */
  current(after: number | undefined): CurrentState
}

export interface CurrentState {
  /** The long part; the same array as long as nothing in it changes. */
  readonly history: readonly SseEvent[]
  /** What follows it; at least one event. */
  readonly rest: readonly SseEvent[]
}

export interface StreamOptions {
  /** How often an idle reader gets a heartbeat. */
  readonly heartbeatMs: number
  readonly maxReaders: number
  readonly form: EventForm
}

interface Reader {
  readonly response: ServerResponse
  /** What is left to send of the current state; after that come the changes since `seq`. */
  backlog: readonly Buffer[]
  seq: number
  /** Heartbeats since it last read anything. */
  missedBeats: number
  /** Bytes that had been sent to it at the last heartbeat. */
  sentBytes: number
}

/** Changes in one chunk, serialized once for all readers that are equally far. */
interface Chunk {
  readonly bytes: Buffer
  /** The last change in it. */
  readonly seq: number
}

/** Bytes that may wait for one reader. Beyond that nothing is queued: it gets the then current values later. */
const MAX_UNREAD = 128 * 1024
/** A reader that reads nothing for this many heartbeats is gone. */
const MAX_MISSED_BEATS = 3

const HEARTBEAT = Buffer.from(': still here\n\n')

/**
 * The readers of one feed. A slow one delays nobody and costs no memory: it skips values that have changed again in the
 * meantime. All readers are sent the same buffers.
 */
export class EventStreams {
  readonly #feed: Feed
  readonly #options: StreamOptions
  readonly #readers = new Set<Reader>()
  readonly #heartbeat: NodeJS.Timeout
  /** Ids continue from the time of the start, so that they keep increasing and those of an earlier server are recognized. */
  readonly #firstId = Date.now()
  readonly #serialized = new WeakMap<readonly SseEvent[], readonly Buffer[]>()
  #sending: NodeJS.Immediate | undefined

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
    return this.#readers.size >= this.#options.maxReaders
  }

  /** Takes over a response whose headers were sent. */
  add(response: ServerResponse, after: number | undefined, lastEventId: string | undefined): void {
    const known = this.#seqOf(lastEventId)
    const seq = known ?? this.#feed.log.seq
    const backlog = known === undefined ? this.#currentState(after, seq) : []
    const reader = { response, backlog, seq, missedBeats: 0, sentBytes: 0 }
    this.#readers.add(reader)
    const remove = (): void => void this.#readers.delete(reader)
    response.on('close', remove).on('error', remove)
    response.on('drain', () => this.#send(reader, new Map()))
    this.#send(reader, new Map())
  }

  /** Something changed. Changes in the same turn of the event loop are sent together. */
  notify(): void {
    this.#sending ??= setImmediate(() => {
      this.#sending = undefined
      const chunks = new Map<number, Chunk>()
      for (const reader of this.#readers) this.#send(reader, chunks)
    })
  }

  close(): void {
    clearInterval(this.#heartbeat)
    clearImmediate(this.#sending)
    for (const { response } of this.#readers) response.destroy()
  }

  /** `chunks` is shared by all readers of one round, by the change that they follow. */
  #send(reader: Reader, chunks: Map<number, Chunk>): void {
    const { response } = reader
    // Corked by us, the response writes at once; otherwise it corks its socket for each write until the next tick.
    response.cork()
    this.#sendBacklog(reader)
    const isCaughtUp = reader.backlog.length === 0
    while (isCaughtUp && reader.seq < this.#feed.log.seq && response.writableLength < MAX_UNREAD) {
      const chunk = chunks.get(reader.seq) ?? this.#chunkAfter(reader.seq)
      if (!chunk) break
      chunks.set(reader.seq, chunk)
      reader.seq = chunk.seq
      if (chunk.bytes.length > 0) response.write(chunk.bytes)
    }
    response.uncork()
  }

  #chunkAfter(seq: number): Chunk | undefined {
    let text = ''
    let last = seq
    while (text.length < MAX_UNREAD) {
      const change = this.#feed.log.next(last)
      if (!change) break
      last = change.seq
      text += change.value.serialize(this.#firstId + last, this.#options.form)
    }
    return last === seq ? undefined : { bytes: Buffer.from(text), seq: last }
  }

  #sendBacklog(reader: Reader): void {
    const { response, backlog } = reader
    let sent = 0
    while (sent < backlog.length && response.writableLength < MAX_UNREAD) response.write(backlog[sent++]!)
    if (sent > 0) reader.backlog = backlog.slice(sent)
  }

  /**
   * In large chunks. Those of the history are cached until it changes. They have no usable ids: a reader that loses the
   * connection within the history has to start again.
   */
  #currentState(after: number | undefined, seq: number): Buffer[] {
    const { form } = this.#options
    const { history, rest } = this.#feed.current(after)
    const chunks = this.#serialized.get(history) ?? historyChunks(history, form)
    this.#serialized.set(history, chunks)
    return [...chunks, Buffer.from(rest.map((event) => event.serialize(this.#firstId + seq, form)).join(''))]
  }

  /** Undefined: from the start. */
  #seqOf(lastEventId: string | undefined): number | undefined {
    if (!lastEventId || !/^\d{1,15}$/.test(lastEventId)) return undefined
    const seq = Number(lastEventId) - this.#firstId
    return seq >= 0 && seq <= this.#feed.log.seq ? seq : undefined
  }

  #beat(): void {
    for (const reader of this.#readers) {
      const { response } = reader
      const unread = response.writableLength
      const sentBytes = (response.socket?.bytesWritten ?? 0) - unread
      reader.missedBeats = unread === 0 || sentBytes !== reader.sentBytes ? 0 : reader.missedBeats + 1
      reader.sentBytes = sentBytes
      if (reader.missedBeats >= MAX_MISSED_BEATS) response.destroy()
      else if (unread === 0) response.write(HEARTBEAT)
    }
  }
}

function historyChunks(events: readonly SseEvent[], form: EventForm): Buffer[] {
  const chunks: Buffer[] = []
  let text = ''
  for (const event of events) {
    text += event.serialize(0, form)
    if (text.length < MAX_UNREAD) continue
    chunks.push(Buffer.from(text))
    text = ''
  }
  return text === '' ? chunks : [...chunks, Buffer.from(text)]
}
