import { SealError } from './sealer.ts'

const MAGIC = Buffer.from('ionr', 'latin1')
const FORMAT = 1

/** What every object begins with: magic, version of the format, and the kind of object. */
export const HEADER_SIZE = MAGIC.length + 2

export const PLAIN = 0
export const ENCRYPTED = 1

export type ObjectKind = typeof PLAIN | typeof ENCRYPTED

export function objectHeader(kind: ObjectKind): Buffer {
  return Buffer.from([...MAGIC, FORMAT, kind])
}

/** Throws unless the bytes begin as an object of this kind and are within these sizes. */
export function checkHeader(
  key: string,
  sealed: Buffer,
  kind: ObjectKind,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (sealed.length < HEADER_SIZE || !sealed.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SealError('damaged', key)
  }
  const [format, found] = [sealed[MAGIC.length]!, sealed[MAGIC.length + 1]!]
  if (format > FORMAT) throw new SealError('newer', key)
  if (format === FORMAT && found !== kind) {
    if (found === PLAIN) throw new SealError('unencrypted', key)
    if (found === ENCRYPTED) throw new SealError('encrypted', key)
  }
  if (format !== FORMAT || found !== kind || sealed.length < min) throw new SealError('damaged', key)
  if (sealed.length > max) throw new SealError('too-large', key)
}

/** Each part with its length in front of it, so that different parts never give the same bytes. */
export function joinParts(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** Bytes as a buffer, without copying them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
