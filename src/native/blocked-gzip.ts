import { closeSync, fstatSync, readSync } from 'node:fs'
import { ReadError } from '../events/item.ts'

/**
 * Compressed logs. The format is BGZF: gzip in blocks of at most 64 KB that do not depend on each other, each with its
 * own size in an extra field of its header, and an empty block at the very end. Any gzip reads it, any place is reached
 * by inflating one block, and a file that lost its end is known by that.
 */

/** How the name of a compressed log ends. */
export const COMPRESSED = '.jsonl.gz'

/** The most that a block holds: with it even what cannot be compressed stays below 64 KB. */
export const MAX_BLOCK = 0xff00

/** Half as quick again as zlib's own choice, for one hundredth more bytes. */
const LEVEL = 4
/** No block is larger, compressed or not. */
const LIMIT = 0x10000

const HEADER = 18
const TRAILER = 8
/** Where the header has the size of the block, less one. */
const SIZE_AT = 16
/** Of a header all that never differs: gzip, deflate, an extra field of 6 bytes which is called BC. */
const MAGIC = Buffer.from('1f8b0804', 'hex')
const EXTRA = Buffer.from('060042430200', 'hex')
const EXTRA_AT = 10
const END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex')

/** Loaded at the first block: few sessions are compressed, and every command has this file. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib')

/** One block. */
function compressBlock(bytes: Buffer): Buffer {
  const body = zlib().deflateRawSync(bytes, { level: LEVEL })
  const block = Buffer.alloc(HEADER + body.length + TRAILER)
  END.copy(block, 0, 0, SIZE_AT)
  block.writeUInt16LE(block.length - 1, SIZE_AT)
  body.copy(block, HEADER)
  block.writeUInt32LE(zlib().crc32(bytes), block.length - TRAILER)
  block.writeUInt32LE(bytes.length, block.length - 4)
  return block
}

/** The blocks of all that `read` gives, and the end. Their bytes are good until the next is asked for. */
export function* compressed(read: (target: Buffer) => number, blockSize: number = MAX_BLOCK): Generator<Buffer> {
  const bytes = Buffer.alloc(blockSize)
  for (let filled = 0; ; ) {
    const count = read(bytes.subarray(filled))
    filled += count
    if (count > 0 && filled < blockSize) continue
    if (filled > 0) yield compressBlock(bytes.subarray(0, filled))
    if (count === 0) break
    filled = 0
  }
  yield END
}

/** A compressed file, read at any place. Damage is an error that says where; what stands before it can be read. */
export class BlockedGzip {
  readonly #fd: number
  readonly #fileSize: number
  /** Of the blocks that are known so far, where each begins: in the file, and in what it was made from. */
  readonly #starts: number[] = [0]
  readonly #offsets: number[] = [0]
  #isAtEnd = false
  #block = -1
  #bytes: Buffer = Buffer.alloc(0)

  /** Takes the descriptor over. */
  constructor(fd: number) {
    this.#fd = fd
    this.#fileSize = fstatSync(fd).size
  }

  /** Looks at every header, but inflates nothing. Of a damaged file, up to the damage: reading will tell. */
  get size(): number {
    try {
      while (this.#goOn());
    } catch {
      // Told by whoever reads there.
    }
    return this.#offsets.at(-1)!
  }

  /** At most to the end of a block, so that all before a damaged one is given. */
  read(target: Buffer, at: number, length: number, position: number): number {
    while (position >= this.#offsets.at(-1)!) if (!this.#goOn()) return 0
    const block = this.#blockWith(position)
    if (block !== this.#block) this.#bytes = this.#inflate(block)
    this.#block = block
    const from = position - this.#offsets[block]!
    return this.#bytes.copy(target, at, from, from + length)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Learns of one more block; false at the end. */
  #goOn(): boolean {
    if (this.#isAtEnd) return false
    const start = this.#starts.at(-1)!
    const header = this.#take(start, HEADER)
    if (header.length < HEADER) throw damaged(start, 'it is cut off')
    const isBlock = header.subarray(0, MAGIC.length).equals(MAGIC) && header.subarray(EXTRA_AT, SIZE_AT).equals(EXTRA)
    if (!isBlock) throw damaged(start, 'not a block')
    const next = start + header.readUInt16LE(SIZE_AT) + 1
    if (next > this.#fileSize) throw damaged(start, 'it is cut off')
    const size = this.#take(next - 4, 4).readUInt32LE()
    if (size > LIMIT) throw damaged(start, 'a block of an impossible size')
    if (size === 0) {
      const isEnd = next === this.#fileSize && this.#take(start, END.length).equals(END)
      if (!isEnd) throw damaged(start, 'an end that is none')
      this.#isAtEnd = true
      return false
    }
    this.#starts.push(next)
    this.#offsets.push(this.#offsets.at(-1)! + size)
    return true
  }

  #blockWith(position: number): number {
    // Nearly always the same as before, or the next.
    for (const near of [this.#block, this.#block + 1]) if (this.#holds(near, position)) return near
    let [low, high] = [0, this.#offsets.length - 2]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#offsets[middle]! <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  #holds(block: number, position: number): boolean {
    return block >= 0 && position >= this.#offsets[block]! && position < (this.#offsets[block + 1] ?? 0)
  }

  #inflate(block: number): Buffer {
    const start = this.#starts[block]!
    const size = this.#offsets[block + 1]! - this.#offsets[block]!
    const whole = this.#take(start, this.#starts[block + 1]! - start)
    const sum = whole.readUInt32LE(whole.length - TRAILER)
    try {
      const options = { chunkSize: LIMIT, maxOutputLength: size }
      const bytes = zlib().inflateRawSync(whole.subarray(HEADER, whole.length - TRAILER), options)
      if (bytes.length === size && zlib().crc32(bytes) === sum) return bytes
    } catch (error) {
      throw damaged(start, 'a block cannot be inflated', error)
    }
    throw damaged(start, 'a block is not what was written')
  }

  #take(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, length, start))
  }
}

function damaged(at: number, what: string, cause?: unknown): Error {
  return new ReadError('damaged', `damaged at byte ${at}: ${what}`, cause)
}
