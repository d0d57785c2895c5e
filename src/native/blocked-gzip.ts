import { closeSync, fstatSync, readSync } from 'node:fs'
import { ReadError } from '../events/item.ts'

/**
 * Compressed logs in the BGZF format: gzip in independent blocks of up to 64 KB, each with its size in an extra header
 * field, and an empty block at the end. Any gzip reads it, any offset is reached by inflating one block, and a truncated
 * file is recognised by its missing end.
 */

/** The extension of a compressed log. */
export const COMPRESSED = '.jsonl.gz'

/** The content of a block: small enough that even incompressible data stays below 64 KB. */
export const MAX_BLOCK = 0xff00

/** 1.5 times as fast as zlib's default, for 1 % more bytes. */
const LEVEL = 4
/** The maximum size of a block, compressed or not. */
const LIMIT = 0x10000

const HEADER = 18
const TRAILER = 8
/** The offset of the block's size minus one. */
const SIZE_AT = 16
/** The constant parts of a header: gzip, deflate, an extra field of 6 bytes named BC. */
const MAGIC = Buffer.from('1f8b0804', 'hex')
const EXTRA = Buffer.from('060042430200', 'hex')
const EXTRA_AT = 10
const END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex')

/** Loaded at the first block: every command has this file, but few read compressed sessions. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib')

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

/** The blocks of everything that `read` returns, and the end block. Each is valid until the next is requested. */
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

/** Random access to a compressed file. Damage is an error that says where; everything before it can be read. */
export class BlockedGzip {
  readonly #fd: number
  readonly #fileSize: number
  /** Where each block known so far starts: in the file, and in the uncompressed content. */
  readonly #starts: number[] = [0]
  readonly #offsets: number[] = [0]
  #isAtEnd = false
  #block = -1
  #bytes: Buffer = Buffer.alloc(0)

  /** Takes ownership of the descriptor. */
  constructor(fd: number) {
    this.#fd = fd
    this.#fileSize = fstatSync(fd).size
  }

  /** Reads every header, but inflates nothing. Up to the damage, if there is any: reading reports it. */
  get size(): number {
    try {
      while (this.#nextHeader());
    } catch {
      // Reported when somebody reads there.
    }
    return this.#offsets.at(-1)!
  }

  /** Stops at the end of a block, so that everything before a damaged one is returned. */
  read(target: Buffer, at: number, length: number, position: number): number {
    while (position >= this.#offsets.at(-1)!) if (!this.#nextHeader()) return 0
    const block = this.#blockWith(position)
    if (block !== this.#block) this.#bytes = this.#inflate(block)
    this.#block = block
    const from = position - this.#offsets[block]!
    return this.#bytes.copy(target, at, from, from + length)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Reads the header of one more block; false at the end. */
  #nextHeader(): boolean {
    if (this.#isAtEnd) return false
    const start = this.#starts.at(-1)!
    const header = this.#readBytes(start, HEADER)
    if (header.length < HEADER) throw damaged(start, 'the file is truncated')
    const isBlock = header.subarray(0, MAGIC.length).equals(MAGIC) && header.subarray(EXTRA_AT, SIZE_AT).equals(EXTRA)
    if (!isBlock) throw damaged(start, 'not a block')
    const next = start + header.readUInt16LE(SIZE_AT) + 1
    if (next > this.#fileSize) throw damaged(start, 'the file is truncated')
    const size = this.#readBytes(next - 4, 4).readUInt32LE()
    if (size > LIMIT) throw damaged(start, 'impossible block size')
    if (size === 0) {
      const isEnd = next === this.#fileSize && this.#readBytes(start, END.length).equals(END)
      if (!isEnd) throw damaged(start, 'invalid end block')
      this.#isAtEnd = true
      return false
    }
    this.#starts.push(next)
    this.#offsets.push(this.#offsets.at(-1)! + size)
    return true
  }

  #blockWith(position: number): number {
    // Nearly always the current or the next.
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
    const whole = this.#readBytes(start, this.#starts[block + 1]! - start)
    const sum = whole.readUInt32LE(whole.length - TRAILER)
    try {
      const options = { chunkSize: LIMIT, maxOutputLength: size }
      const bytes = zlib().inflateRawSync(whole.subarray(HEADER, whole.length - TRAILER), options)
      if (bytes.length === size && zlib().crc32(bytes) === sum) return bytes
    } catch (error) {
      throw damaged(start, 'a block cannot be inflated', error)
    }
    throw damaged(start, 'the checksum of a block does not match')
  }

  #readBytes(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, length, start))
  }
}

function damaged(at: number, what: string, cause?: unknown): Error {
  return new ReadError('damaged', `damaged at byte ${at}: ${what}`, cause)
}
