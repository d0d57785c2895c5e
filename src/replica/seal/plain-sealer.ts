import { createHash } from 'node:crypto'
import { MAX_PACKED, pack, unpack } from './content.ts'
import { asBuffer, checkHeader, HEADER_SIZE, joinParts, objectHeader, PLAIN } from './object-header.ts'
import { SealError, type Sealer } from './sealer.ts'

const HASH = 32
const NAME_DIGITS = 32

/** Without encryption: a hash finds damage and mistakes, but not someone who wants to change objects. */
export class PlainSealer implements Sealer {
  readonly isEncrypted = false
  readonly storeId: string

  constructor(storeId: string) {
    this.storeId = storeId
  }

  seal(key: string, plain: Uint8Array): Buffer {
    const packed = pack(key, plain, (size) => size)
    return Buffer.concat([objectHeader(PLAIN), this.#hash(key, packed), packed])
  }

  open(key: string, sealed: Uint8Array): Buffer {
    const bytes = asBuffer(sealed)
    const start = HEADER_SIZE + HASH
    checkHeader(key, bytes, PLAIN, { min: start, max: start + MAX_PACKED })
    const packed = bytes.subarray(start)
    if (!this.#hash(key, packed).equals(bytes.subarray(HEADER_SIZE, start))) throw new SealError('damaged', key)
    return unpack(key, packed)
  }

  name(...parts: readonly string[]): string {
    return createHash('sha256').update(joinParts(parts)).digest('hex').slice(0, NAME_DIGITS)
  }

  #hash(key: string, packed: Buffer): Buffer {
    return createHash('sha256')
      .update(objectHeader(PLAIN))
      .update(joinParts([this.storeId, key]))
      .update(packed)
      .digest()
  }
}
