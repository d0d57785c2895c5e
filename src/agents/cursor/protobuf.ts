import { isUtf8 } from 'node:buffer'

/** The wire format of Protocol Buffers, as far as Cursor's files need it. Throws on anything else. */
export interface Field {
  readonly number: number
  /** An integer, or the bytes of a string, a message or a fixed-size value. */
  readonly value: bigint | Buffer
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

export function readMessage(bytes: Uint8Array): Field[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = buffer[at++]
      if (byte === undefined) throw new Error('a number is cut off')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Error('a number is too long')
  }
  const take = (length: number): Buffer => {
    if (at + length > buffer.length) throw new Error('a field is cut off')
    return buffer.subarray(at, (at += length))
  }
  while (at < buffer.length) {
    const tag = Number(varint())
    const number = Math.floor(tag / 8)
    if (number === 0) throw new Error('a field has no number')
    fields.push({ number, value: readValue(tag % 8, varint, take) })
  }
  return fields
}

function readValue(wire: number, varint: () => bigint, take: (length: number) => Buffer): bigint | Buffer {
  if (wire === VARINT) return varint()
  if (wire === FIXED64) return take(8)
  if (wire === FIXED32) return take(4)
  if (wire === BYTES) return take(Number(varint()))
  throw new Error(`a field has the unknown wire type ${wire}`)
}

export function bytesOf(fields: readonly Field[], number: number): Buffer | undefined {
  return allBytes(fields, number)[0]
}

export function allBytes(fields: readonly Field[], number: number): Buffer[] {
  return fields.flatMap((field) => (field.number === number && typeof field.value !== 'bigint' ? [field.value] : []))
}

export function textOf(fields: readonly Field[], number: number): string | undefined {
  return bytesOf(fields, number)?.toString('utf8')
}

export function numberOf(fields: readonly Field[], number: number): number | undefined {
  const value = fields.find((field) => field.number === number)?.value
  return typeof value === 'bigint' ? Number(value) : undefined
}

export type RawValue = string | number | { readonly base64: string } | RawMessage | readonly RawValue[]
export interface RawMessage {
  readonly [field: string]: RawValue
}

const DEEPEST = 20

/**
 * A message with an unknown schema, as JSON under its field numbers, so that nothing is dropped. Bytes do not say whether
 * they are a text or a message: what reads as text is treated as text.
 */
export function rawFields(fields: readonly Field[], depth = 0): RawMessage {
  const raw: Record<string, RawValue> = {}
  for (const { number, value } of fields) {
    const before = raw[number]
    const converted = typeof value === 'bigint' ? rawNumber(value) : rawBytes(value, depth)
    raw[number] = before === undefined ? converted : [...(Array.isArray(before) ? before : [before]), converted]
  }
  return raw
}

function rawNumber(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function rawBytes(bytes: Buffer, depth: number): RawValue {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined
  // A newline is also the tag of a message's first field.
  if (text !== undefined && !/[\0-\x08\x0b\x0c\x0e-\x1f]/.test(text) && !text.startsWith('\n')) return text
  if (depth < DEEPEST) {
    try {
      return rawFields(readMessage(bytes), depth + 1)
    } catch {
      // Not a message.
    }
  }
  return text ?? { base64: bytes.toString('base64') }
}
