import { isUtf8 } from 'node:buffer'
import type { Problem } from '../events/item.ts'
import { type ByteFile, openBytes } from './byte-file.ts'
import { cannotRead } from './problem.ts'
import type { Follow, ReadContext } from './read-context.ts'

const CHUNK = 256 * 1024
const NEWLINE = 10
/** Up to this length, decoding a line is cheaper than searching its bytes. */
const SHORT = 4096

/** Longer lines are skipped with a problem: memory use must not depend on the file. */
export const MAX_LINE = 32 * 1024 * 1024

/** One line of a file, not decoded: `buffer[start..end)`. */
export interface Line {
  readonly path: string
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
  /** Of the line in the file. */
  readonly offset: number
  /** In bytes, without the newline. */
  readonly length: number
  /** False for a last line without a newline, which may still be being written. */
  readonly terminated: boolean
  /** The line exceeds MAX_LINE; `start..end` is empty. */
  readonly tooLong: boolean
  /** All its bytes are valid UTF-8. */
  readonly isText: boolean
  /** A short line with one character per byte: for searching, not for display. */
  readonly latin1: string | undefined
}

const NOTHING = Buffer.alloc(0)

/** The buffer of the last closed cursor: allocating one for each of many small files costs more than reading them. */
let spare: Buffer | undefined

/**
 * Walks a file line by line without decoding: `next()`, then `buffer[start..end)`. The fastest way in Node (large reads,
 * `indexOf` for the newline), with bounded memory. The buffer is reused: copy what must outlive the next call.
 */
export class LineCursor implements Line {
  buffer: Buffer
  start = 0
  end = 0
  /** Of the line in the file. */
  offset = 0
  /** 1-based number of the line, counted from where reading began. */
  line = 0
  /** False for a last line without a newline, which may still be being written. */
  terminated = true
  /** The line exceeds MAX_LINE; `start..end` is empty and `length` is its size. */
  tooLong = false
  length = 0

  /** All bytes of the line are valid UTF-8. Checked for a chunk at once, since each check has a fixed cost. */
  get isText(): boolean {
    this.#cleanTo ??= isUtf8(this.#view) ? this.#filled : (lastWholeCharacter(this.#view) ?? 0)
    return this.end <= this.#cleanTo || isUtf8(this.buffer.subarray(this.start, this.end))
  }

  /** A short line with one character per byte: for searching, not for display. */
  get latin1(): string | undefined {
    if (this.#latin1 === undefined && this.end - this.start <= SHORT) {
      this.#latin1 = this.buffer.toString('latin1', this.start, this.end)
    }
    return this.#latin1
  }

  readonly path: string
  #latin1: string | undefined
  /** Up to here everything in the buffer is known to be valid UTF-8. */
  #cleanTo: number | undefined
  /** Undefined if the whole file is already in memory. */
  #file: ByteFile | undefined
  readonly #reading: ReadContext
  readonly #follow: Follow | undefined
  /** The filled part of the buffer. */
  #view: Buffer
  #filled = 0
  #next = 0
  #base: number
  #atEnd = false

  /** `chunk` is the size of a read; tests make it small. */
  constructor(path: string, reading: ReadContext, from = 0, chunk = CHUNK) {
    this.path = path
    this.#reading = reading
    const { startAt } = reading
    if (from === 0 && startAt?.path === path) from = startAt.offset
    this.#base = from
    const known = reading.smallFile
    this.#follow = reading.follow?.path === path ? reading.follow : undefined
    if (known?.path === path && chunk === CHUNK && !this.#follow) {
      this.buffer = this.#view = known.bytes
      this.#filled = known.bytes.length
      this.#next = Math.min(from, this.#filled)
      this.#base = 0
      this.#atEnd = true
      return
    }
    this.#file = openBytes(path)
    this.buffer = spare?.length === chunk ? spare : Buffer.allocUnsafe(chunk)
    spare = undefined
    this.#view = this.buffer
  }

  next(): boolean {
    let searchFrom = this.#next
    for (;;) {
      const at = searchFrom < this.#filled ? this.#view.indexOf(NEWLINE, searchFrom) : -1
      if (at >= 0) return this.#take(at, at + 1, true)
      if (this.#atEnd) {
        if (this.isFollowed) return false
        return this.#next < this.#filled ? this.#take(this.#filled, this.#filled, false) : false
      }
      if (this.#filled - this.#next >= MAX_LINE) return this.#skipLongLine()
      const unread = this.#filled - this.#next
      this.#makeRoom()
      searchFrom = unread
      this.#fill()
    }
  }

  /** The file still grows: an unfinished last line is not returned, and after `lookAgain` there may be more. */
  get isFollowed(): boolean {
    return this.#follow !== undefined
  }

  lookAgain(): void {
    this.#atEnd = false
  }

  close(): void {
    this.#file?.close()
    if (this.buffer.length === CHUNK) spare = this.buffer
    // Further use sees nothing instead of another file.
    this.buffer = this.#view = NOTHING
  }

  #take(end: number, next: number, terminated: boolean): true {
    this.start = this.#next
    this.end = end
    this.offset = this.#base + this.start
    this.length = end - this.start
    this.terminated = terminated
    this.tooLong = false
    this.#latin1 = undefined
    this.line++
    this.#next = next
    return true
  }

  /** Moves the unread rest to the front, and doubles the buffer when it is full. */
  #makeRoom(): void {
    const unread = this.#filled - this.#next
    if (unread >= this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.buffer.length * 2, MAX_LINE))
      this.buffer.copy(larger, 0, this.#next, this.#filled)
      this.buffer = larger
    } else if (this.#next > 0) {
      this.buffer.copyWithin(0, this.#next, this.#filled)
    }
    this.#base += this.#next
    this.#next = 0
    this.#filled = unread
  }

  #fill(): void {
    const read = this.#file!.read(
      this.buffer,
      this.#filled,
      this.buffer.length - this.#filled,
      this.#base + this.#filled,
    )
    this.#reading.bytes += read
    this.#filled += read
    this.#view = this.buffer.subarray(0, this.#filled)
    this.#cleanTo = undefined
    if (this.#follow) this.#follow.offset = this.#base + this.#filled
    if (read === 0) this.#atEnd = true
  }

  #skipLongLine(): true {
    const offset = this.#base + this.#next
    for (;;) {
      this.#base += this.#filled
      this.#filled = 0
      this.#next = 0
      this.#fill()
      const at = this.#view.indexOf(NEWLINE)
      if (at < 0 && !this.#atEnd) continue
      this.#next = at < 0 ? this.#filled : at + 1
      this.start = this.end = 0
      this.offset = offset
      this.length = this.#base + (at < 0 ? this.#filled : at) - offset
      this.terminated = at >= 0
      this.tooLong = true
      this.#latin1 = undefined
      this.line++
      return true
    }
  }
}

/** The end of the last complete character in a chunk; undefined if the bytes before it are not valid either. */
function lastWholeCharacter(bytes: Buffer): number | undefined {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  const start = end - 1
  return start >= 0 && isUtf8(bytes.subarray(0, start)) ? start : undefined
}

/** Runs `body` with a cursor over a file's lines. A file that cannot be opened or read is a problem, not an exception. */
export function* withLines<T>(
  path: string,
  reading: ReadContext,
  from: number,
  body: (cursor: LineCursor) => Iterable<T>,
): Generator<T | Problem> {
  let cursor: LineCursor
  try {
    cursor = new LineCursor(path, reading, from)
  } catch (error) {
    yield cannotRead(path, error, 'cannot open')
    return
  }
  try {
    yield* body(cursor)
  } catch (error) {
    yield cannotRead(path, error)
  } finally {
    cursor.close()
  }
}
