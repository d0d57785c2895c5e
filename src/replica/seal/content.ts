import { compress, decompress } from '../../platform/brotli.ts'
import { MAX_CONTENT, SealError } from './sealer.ts'

/** How it is stored, its size, and its size as stored. */
const HEADER = 1 + 4 + 4
const STORED = 0
const BROTLI = 1

/** Packed content is never larger than this, before padding. */
export const MAX_PACKED = HEADER + MAX_CONTENT

/** Content with its size, compressed if that makes it smaller, followed by zeros up to the size that `sizeOf` returns. */
export function pack(key: string, plain: Uint8Array, sizeOf: (size: number) => number): Buffer {
  if (plain.length > MAX_CONTENT) throw new SealError('too-large', key)
  const compressed = compress(plain)
  const isSmaller = compressed.length < plain.length
  const stored = isSmaller ? compressed : plain
  const packed = Buffer.alloc(sizeOf(HEADER + stored.length))
  packed.writeUInt8(isSmaller ? BROTLI : STORED, 0)
  packed.writeUInt32BE(plain.length, 1)
  packed.writeUInt32BE(stored.length, 5)
  packed.set(stored, HEADER)
  return packed
}

/** The sizes are checked before anything is unpacked, and what is unpacked never gets larger than they say. */
export function unpack(key: string, packed: Buffer): Buffer {
  if (packed.length < HEADER) throw new SealError('damaged', key)
  const [form, size, storedSize] = [packed.readUInt8(0), packed.readUInt32BE(1), packed.readUInt32BE(5)]
  if (size > MAX_CONTENT) throw new SealError('too-large', key)
  const stored = packed.subarray(HEADER, HEADER + storedSize)
  if (stored.length !== storedSize || (form !== STORED && form !== BROTLI)) throw new SealError('damaged', key)
  const plain = form === STORED ? stored : decompressed(key, stored, size)
  if (plain.length !== size) throw new SealError('damaged', key)
  return plain
}

function decompressed(key: string, stored: Buffer, size: number): Buffer {
  try {
    return decompress(stored, Math.max(size, 1))
  } catch (error) {
    throw new SealError('damaged', key, error)
  }
}
