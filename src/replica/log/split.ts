import { createHash } from 'node:crypto'

export interface ChunkSizes {
  readonly min: number
  readonly max: number
  /** On average a chunk has `min` plus 2 to the power of this many bytes. */
  readonly bits: number
}

/** A random number for each byte, the same everywhere: otherwise equal content would be cut at other places. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha256').update(`ion replica gear ${byte}`).digest().readInt32LE(0),
)

/**
 * Cuts content where its last 32 bytes say so, so that equal stretches are cut alike wherever they are: after a change only
 * the chunks around it are others. The bytes given may be reused afterwards; the chunks are copies.
 */
export function* split(content: Iterable<Uint8Array>, { min, max, bits }: ChunkSizes): Generator<Buffer> {
  const mask = -1 << (32 - bits)
  let pending: Buffer[] = []
  let length = 0
  let hash = 0
  for (const bytes of content) {
    let start = 0
    let at = 0
    while (at < bytes.length) {
      const untilMin = min - (length + at - start)
      if (untilMin > 0) {
        at += Math.min(untilMin, bytes.length - at)
        continue
      }
      hash = ((hash << 1) + GEAR[bytes[at]!]!) | 0
      at++
      if ((hash & mask) !== 0 && length + at - start < max) continue
      pending.push(Buffer.from(bytes.subarray(start, at)))
      yield pending.length === 1 ? pending[0]! : Buffer.concat(pending)
      pending = []
      length = 0
      hash = 0
      start = at
    }
    if (start < at) {
      pending.push(Buffer.from(bytes.subarray(start, at)))
      length += at - start
    }
  }
  if (pending.length > 0) yield Buffer.concat(pending)
}
