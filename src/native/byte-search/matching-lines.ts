import { isUtf8 } from 'node:buffer'
import type { Problem } from '../../events/item.ts'
import { type ByteFile, openBytes } from '../byte-file.ts'
import { type Line, LineCursor } from '../line-cursor.ts'
import { cannotRead } from '../problem.ts'
import type { ReadContext } from '../read-context.ts'
import { type AccentTable, accentTable, writeTable } from './accent.ts'
import { CHUNK, DATA, kernel, MARGIN, MAX_NEEDLE } from './kernel.ts'
import type { Needle } from './needle.ts'

const NEWLINE = 10

/** Which lines of a file are worth decoding. */
export interface LineFilter {
  /** A line with none of them is skipped; undefined: no line is. */
  readonly needles: readonly Needle[] | undefined
  /** Looks at a line more closely, before it is decoded. */
  test(line: Line): boolean
}

/**
 * The lines of a file that may match, found by their bytes: nothing is decoded, and other lines are not even separated. The
 * line is valid until the next one.
 */
export function* matchingLines(path: string, reading: ReadContext, filter: LineFilter): Generator<Line | Problem> {
  try {
    const lines = filter.needles
      ? new FoundLines(path, openBytes(path), reading, filter.needles)
      : new AllLines(path, reading)
    try {
      for (let line = lines.next(); line; line = lines.next()) if (line.tooLong || filter.test(line)) yield line
    } finally {
      lines.close()
    }
  } catch (error) {
    yield cannotRead(path, error)
  }
}

/** Whether a file has one of the needles anywhere. */
export function fileMayContain(path: string, reading: ReadContext, needles: readonly Needle[]): boolean {
  return hasLine(new FoundLines(path, openBytes(path), reading, needles))
}

/** The same for bytes that are in memory. */
export function bytesMayContain(bytes: Uint8Array, reading: ReadContext, needles: readonly Needle[]): boolean {
  const file: ByteFile = {
    size: bytes.length,
    read(target, at, length, position) {
      const part = bytes.subarray(position, position + length)
      target.set(part, at)
      return part.length
    },
    close() {},
  }
  return hasLine(new FoundLines('', file, reading, needles))
}

function hasLine(lines: FoundLines): boolean {
  try {
    return lines.hasAny()
  } finally {
    lines.close()
  }
}

class AllLines {
  readonly #cursor: LineCursor

  constructor(path: string, reading: ReadContext) {
    this.#cursor = new LineCursor(path, reading)
  }

  next(): Line | undefined {
    return this.#cursor.next() ? this.#cursor : undefined
  }

  close(): void {
    this.#cursor.close()
  }
}

/** Whose bytes are in the kernel's memory, which all searches share. */
let owner: FoundLines | undefined

/** The lines with a needle. */
class FoundLines {
  readonly #path: string
  readonly #file: ByteFile
  readonly #reading: ReadContext
  readonly #needles: readonly Needle[]
  readonly #accents: AccentTable
  readonly #overlap: number
  /** Everything before it was searched. */
  #position = 0
  /** The start of the line of `#position`. */
  #lineStart = 0
  /** The place in the file of the first byte in memory. */
  #base = 0
  /** Where the bytes in memory end. */
  #end = DATA
  /** They are the last of the file. */
  #isLast = false
  /** The next place of each needle, and of an accent, in memory; -1 for none. */
  #next: number[] = []
  /** Reads a line that is not completely in memory; open until the next line. */
  #long: LineCursor | undefined

  constructor(path: string, file: ByteFile, reading: ReadContext, needles: readonly Needle[]) {
    this.#path = path
    this.#file = file
    this.#reading = reading
    this.#needles = needles
    this.#accents = accentTable(needles)
    // The letters around an accent must be in memory, too.
    this.#overlap = Math.max(16, ...needles.map(({ bytes }) => bytes.length))
  }

  next(): Line | undefined {
    const { memory } = kernel()
    this.#closeLong()
    const at = this.#search()
    if (at < 0) return undefined
    const newline = memory.lastIndexOf(NEWLINE, at)
    const start = newline >= DATA + this.#position - this.#base ? this.#placeOf(newline + 1) : this.#lineStart
    const close = memory.subarray(0, this.#end).indexOf(NEWLINE, at)
    if (start < this.#base || (close < 0 && !this.#isLast)) return this.#longLine(start)
    const end = close >= 0 ? close : this.#end
    this.#position = this.#lineStart = this.#placeOf(end + 1)
    return new FoundLine(this.#path, memory, DATA + start - this.#base, end, start, close >= 0)
  }

  hasAny(): boolean {
    return this.#search() >= 0
  }

  close(): void {
    this.#closeLong()
    this.#file.close()
  }

  /** The next place in memory where a needle is, or may be with an accent; -1 at the end of the file. */
  #search(): number {
    const { memory } = kernel()
    if (owner !== this || this.#position >= this.#placeOf(this.#end)) this.#load()
    for (;;) {
      const from = DATA + this.#position - this.#base
      const at = this.#find(from)
      if (at >= 0 || this.#isLast) return at
      const newline = memory.lastIndexOf(NEWLINE, this.#end - 1)
      if (newline >= from) this.#lineStart = this.#placeOf(newline + 1)
      this.#position = Math.max(this.#position, this.#placeOf(this.#end) - this.#overlap)
      this.#load()
    }
  }

  #placeOf(at: number): number {
    return this.#base + at - DATA
  }

  /** Reads the bytes from `#position` on. */
  #load(): void {
    const { memory } = kernel()
    owner = this
    this.#base = this.#position
    this.#end = DATA
    this.#isLast = false
    this.#next = []
    while (this.#end < DATA + CHUNK) {
      const read = this.#file.read(memory, this.#end, DATA + CHUNK - this.#end, this.#placeOf(this.#end))
      this.#reading.bytes += read
      this.#end += read
      if (read === 0) {
        this.#isLast = true
        break
      }
    }
    // The kernel reads a little further.
    memory.fill(0, this.#end, this.#end + MARGIN)
  }

  #find(from: number): number {
    let first = -1
    for (let index = 0; index <= this.#needles.length; index++) {
      let at = this.#next[index] ?? 0
      if (at >= 0 && at < from) at = this.#next[index] = this.#findOne(index, from)
      if (at >= 0 && (first < 0 || at < first)) first = at
    }
    return first
  }

  #findOne(index: number, from: number): number {
    const { kernel: search, memory } = kernel()
    const needle = this.#needles[index]
    if (needle) {
      memory.set(needle.bytes, 0)
      memory.set(needle.masks, MAX_NEEDLE)
      return search.find(from, this.#end, needle.bytes.length, ...needle.rare)
    }
    writeTable(this.#accents, memory)
    return search.findAccent(from, this.#end, this.#accents.first, this.#accents.last)
  }

  #longLine(start: number): Line {
    const cursor = new LineCursor(this.#path, this.#reading, start)
    this.#long = cursor
    cursor.next()
    this.#position = this.#lineStart = start + cursor.length + 1
    return cursor
  }

  #closeLong(): void {
    this.#long?.close()
    this.#long = undefined
  }
}

class FoundLine implements Line {
  readonly path: string
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly terminated: boolean
  readonly tooLong = false
  #latin1: string | undefined

  constructor(path: string, buffer: Buffer, start: number, end: number, offset: number, terminated: boolean) {
    this.path = path
    this.buffer = buffer
    this.start = start
    this.end = end
    this.offset = offset
    this.terminated = terminated
  }

  get length(): number {
    return this.end - this.start
  }

  get isText(): boolean {
    return isUtf8(this.buffer.subarray(this.start, this.end))
  }

  get latin1(): string {
    return (this.#latin1 ??= this.buffer.toString('latin1', this.start, this.end))
  }
}
