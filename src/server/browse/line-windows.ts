import type { Located } from '../../catalog/read-session.ts'
import { lineAfter, sizeOf } from '../../catalog/read-tail.ts'
import { isEvent } from '../../events/item.ts'
import { SessionFollower } from '../../live/session-follower.ts'
import { type ReadContext, readContext } from '../../native/read-context.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { Pace } from '../../platform/pace.ts'
import type { PromptList, TranscriptEntry } from './contract.ts'
import { type EntryDigest, entryDigest, isShown } from './entries.ts'
import {
  type EntryWindow,
  promptOf,
  START,
  type Transcript,
  type TranscriptChange,
  type WindowQuery,
} from './transcript.ts'

/** What a window reads at first; four times as much, and so on, if it has too few entries. */
const FIRST_WINDOW = 512 * 1024
/** The result of a call is looked for so far behind the window that has the call. */
const LOOK_AHEAD = 1024 * 1024
/** How far the rail goes back at once. */
const PROMPT_WINDOW = 8 * 1024 * 1024

/** One line of the file, and what it is in the transcript. */
interface LineRecord {
  readonly offset: number
  readonly end: number
  readonly digests: EntryDigest[]
}

/**
 * A large file of lines, of which only the windows that are asked for are read. Cursors are byte offsets of lines. What needs the
 * complete file is missing: branches that were left are shown as well.
 */
export class LineWindows implements Transcript {
  readonly #io: Io
  readonly #located: Located
  /** Where events were seen, so that going back to one needs no search. */
  readonly #offsets = new Map<string, number>()
  /** Calls at the end of the file that have no result yet. */
  readonly #waiting = new Map<string, TranscriptEntry>()
  readonly #onRead: (bytes: number) => void
  #follower: SessionFollower | undefined

  /** `onRead` is for tests: the number of bytes of each read. */
  constructor(located: Located, io: Io, onRead: (bytes: number) => void = () => {}) {
    this.#located = located
    this.#io = io
    this.#onRead = onRead
  }

  async window(query: WindowQuery): Promise<EntryWindow | undefined> {
    const size = attempt(() => sizeOf(this.#located.head.path))
    if (size === undefined) return { entries: [], before: null, after: null }
    if (query.after !== undefined) {
      const from = query.after === START ? 0 : offsetOf(query.after, size)
      return from === undefined ? undefined : this.#forward(from, size, query)
    }
    if (query.around !== undefined) {
      const at = await this.#find(query.around)
      if (at === undefined) return undefined
      const half = { ...query, limit: Math.ceil(query.limit / 2) }
      const [first, second] = [await this.#backward(at, size, half), await this.#forward(at, size, half)]
      return { entries: [...first.entries, ...second.entries], before: first.before, after: second.after }
    }
    const to = query.before === undefined ? size : offsetOf(query.before, size)
    return to === undefined ? undefined : this.#backward(to, size, query)
  }

  async prompts(before?: string): Promise<PromptList> {
    const size = attempt(() => sizeOf(this.#located.head.path)) ?? 0
    const to = before === undefined ? size : (offsetOf(before, size) ?? size)
    const from = this.#lineFrom(to - PROMPT_WINDOW)
    const entries = (await this.#read(from, to)).flatMap(({ digests }) => digests.flatMap(({ entry }) => entry ?? []))
    const prompts = entries.filter(({ role, within }) => role === 'user' && !within).map(promptOf)
    return { prompts, from: from === 0 ? null : cursorOf(from) }
  }

  async look(): Promise<TranscriptChange | undefined> {
    const { head } = this.#located
    if (!this.#follower) {
      await this.#followEnd()
      return undefined
    }
    const { kind, items } = this.#follower.read(head)
    const found = [...items].filter(isEvent).map(({ event }) => entryDigest(event))
    if (kind === 'all') return { kind: 'reset' }
    const entries = found.flatMap(({ entry, result }) => {
      const call = result && this.#waiting.get(result.tool_use_id)
      if (call) this.#waiting.delete(call.event)
      if (entry?.part.type === 'tool_use') this.#waiting.set(entry.event, entry)
      return entry ? [entry] : call ? [{ ...call, result }] : []
    })
    return entries.length === 0 ? undefined : { kind: 'entries', entries: lastOfEach(entries) }
  }

  close(): void {
    this.#follower?.close()
  }

  /** From the last line on: that one was shown already. */
  async #followEnd(): Promise<void> {
    const { head, reader } = this.#located
    const size = attempt(() => sizeOf(head.path)) ?? 0
    const last = (await this.#read(this.#lineFrom(size - FIRST_WINDOW), size)).at(-1)
    this.#follower = new SessionFollower(reader, this.#io, 'conversation', last?.end ?? size)
    for (const _ of this.#follower.read(head).items) {
      // Only what comes later is new.
    }
  }

  /** What is before the offset. */
  async #backward(to: number, size: number, query: WindowQuery): Promise<EntryWindow> {
    for (let length = FIRST_WINDOW; ; length *= 4) {
      const from = this.#lineFrom(to - length)
      const ahead = to < size ? LOOK_AHEAD : 0
      const records = await this.#read(from, to, ahead)
      const kept: LineRecord[] = []
      let count = 0
      for (const record of records.filter(({ offset }) => offset < to).reverse()) {
        const shown = shownIn(record, query).length
        if (count > 0 && count + shown > query.limit) break
        count += shown
        kept.unshift(record)
      }
      if (count < query.limit && from > 0 && kept.length === records.filter(({ offset }) => offset < to).length)
        continue
      const start = kept[0]?.offset ?? from
      return {
        entries: this.#entries(kept, records, query),
        before: start > 0 && hasEntries(start, from, kept, records) ? cursorOf(start) : null,
        after: to < size ? cursorOf(to) : null,
      }
    }
  }

  /** What is at the offset and after it. */
  async #forward(from: number, size: number, query: WindowQuery): Promise<EntryWindow> {
    for (let length = FIRST_WINDOW; ; length *= 4) {
      const to = Math.min(size, from + length)
      const records = await this.#read(from, to, LOOK_AHEAD)
      const kept: LineRecord[] = []
      let count = 0
      for (const record of records.filter(({ offset }) => offset < to)) {
        const shown = shownIn(record, query).length
        if (count > 0 && count + shown > query.limit) break
        count += shown
        kept.push(record)
      }
      if (count < query.limit && to < size) continue
      const end = kept.at(-1)?.end ?? to
      return {
        entries: this.#entries(kept, records, query),
        before: from > 0 ? cursorOf(from) : null,
        after: end < size ? cursorOf(end) : null,
      }
    }
  }

  /** With the results of calls, which may be behind the window. */
  #entries(kept: readonly LineRecord[], read: readonly LineRecord[], query: WindowQuery): TranscriptEntry[] {
    const results = new Map(
      read.flatMap(({ digests }) =>
        digests.flatMap(({ result }) => (result ? [[result.tool_use_id, result]] : [])),
      ) as [string, NonNullable<EntryDigest['result']>][],
    )
    return kept.flatMap((record) =>
      shownIn(record, query).map((entry) => {
        this.#offsets.set(entry.event, record.offset)
        const result = entry.part.type === 'tool_use' ? results.get(entry.event) : undefined
        if (entry.part.type === 'tool_use' && !result) this.#waiting.set(entry.event, entry)
        return result ? { ...entry, result } : entry
      }),
    )
  }

  /** The lines from one offset to another, and for results `ahead` more bytes. */
  async #read(from: number, to: number, ahead = 0): Promise<LineRecord[]> {
    const records: LineRecord[] = []
    const { head } = this.#located
    const reading: ReadContext = { ...readContext(this.#io), startAt: { path: head.path, offset: from } }
    for await (const { digest, offset, end } of this.#lines(reading)) {
      if (offset >= to + ahead) break
      const last = records.at(-1)
      if (last?.offset === offset) last.digests.push(digest)
      else records.push({ offset, end, digests: [digest] })
    }
    this.#onRead(reading.bytes)
    return records
  }

  async *#lines(
    reading: ReadContext,
  ): AsyncGenerator<{ readonly digest: EntryDigest; readonly offset: number; readonly end: number }> {
    const { head, reader } = this.#located
    const pace = new Pace(undefined)
    for (const item of reader.read(head, reading)) {
      if (pace.isDue) await pace.turn()
      if (!isEvent(item) || item.span?.path !== head.path) continue
      const { offset, length } = item.span
      yield { digest: entryDigest(item.event), offset, end: offset + length + 1 }
    }
  }

  /** Where an event is. One that was not seen yet is looked for in the complete file. */
  async #find(event: string): Promise<number | undefined> {
    const known = this.#offsets.get(event)
    if (known !== undefined) return known
    const reading = readContext(this.#io)
    let found: number | undefined
    for await (const { digest, offset } of this.#lines(reading)) {
      if (digest.link.id !== event) continue
      found = offset
      break
    }
    this.#onRead(reading.bytes)
    if (found !== undefined) this.#offsets.set(event, found)
    return found
  }

  /** The first line that begins there or later; the beginning of the file for what is before it. */
  #lineFrom(place: number): number {
    if (place <= 0) return 0
    return lineAfter(this.#located.head.path, place, this.#io) ?? 0
  }
}

function shownIn({ digests }: LineRecord, query: WindowQuery): TranscriptEntry[] {
  return digests.flatMap(({ entry, kind }) =>
    entry && (isShown(kind, query) || entry.event === query.around) ? [entry] : [],
  )
}

/** Whether something may be before the window: what was read and left out, or what was not read. */
function hasEntries(start: number, from: number, kept: readonly LineRecord[], read: readonly LineRecord[]): boolean {
  return (
    from > 0 ||
    read.some(({ offset, digests }) => offset < start && digests.some(({ entry }) => entry)) ||
    kept.length === 0
  )
}

/** Of several versions of an entry, the last. */
function lastOfEach(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  return [...new Map(entries.map((entry) => [entry.event, entry])).values()]
}

function cursorOf(offset: number): string {
  return `@${offset}`
}

function offsetOf(cursor: string, size: number): number | undefined {
  const offset = Number(/^@(\d{1,15})$/.exec(cursor)?.[1] ?? Number.NaN)
  return offset <= size ? offset : undefined
}
