/** A file in a tar. */
export interface TarEntry {
  readonly name: string
  readonly size: number
}

/** Everything in a tar is padded to a multiple of this. */
export const BLOCK = 512

/** Limits of the ustar header; anything beyond them goes into a pax header before it. */
const NAME_BYTES = 100
const MAX_OCTAL = 0o77777777777

/** The header of a file, preceded by a pax header when the name is long or not ASCII, or the file is over 8 GB. */
export function tarHeader({ name, size }: TarEntry, seconds: number): Buffer {
  const isAscii = /^[\x20-\x7e]*$/.test(name) && name.length <= NAME_BYTES
  if (isAscii && size <= MAX_OCTAL) return header(name, size, seconds, '0')
  const records = Buffer.concat([paxRecord('path', name), paxRecord('size', String(size))])
  return Buffer.concat([
    header('pax', records.length, seconds, 'x'),
    records,
    padding(records.length),
    // For a reader without support for pax.
    header(name.replace(/[^\x20-\x7e]/g, '_').slice(-NAME_BYTES), Math.min(size, MAX_OCTAL), seconds, '0'),
  ])
}

/** Zeros up to the next block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** The end of a tar. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK)

function header(name: string, size: number, seconds: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, NAME_BYTES, 'latin1')
  block.write(octal(0o600, 8), 100, 'latin1')
  block.write(octal(0, 8), 108, 'latin1')
  block.write(octal(0, 8), 116, 'latin1')
  block.write(octal(size, 12), 124, 'latin1')
  block.write(octal(seconds, 12), 136, 'latin1')
  block.write(type, 156, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, SUM_AT, 'latin1')
  return block
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

const SUM_AT = 148
const SUM_BYTES = 8

/** The sum of all bytes, with spaces in place of the sum itself. */
function sumOf(block: Buffer): number {
  let sum = 0
  for (const [index, byte] of block.entries()) sum += index >= SUM_AT && index < SUM_AT + SUM_BYTES ? 0x20 : byte
  return sum
}

/** `27 path=sessions/…\n`: the length includes itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length++
  return Buffer.concat([Buffer.from(String(length)), rest])
}

/** Throws for anything but a regular file or a pax header: a snapshot has no links. */
export function parseHeader(block: Buffer): TarEntry & { readonly isPax: boolean } {
  if (number(block, SUM_AT, SUM_BYTES) !== sumOf(block)) throw new Error('invalid checksum in tar header')
  if (text(block, 257, 5) !== 'ustar') throw new Error('not a ustar archive')
  const name = text(block, 0, NAME_BYTES)
  const type = text(block, 156, 1)
  if (type === '1' || type === '2') throw new Error(`"${name}" is a link, which a snapshot cannot have`)
  if (type !== '0' && type !== '' && type !== 'x')
    throw new Error(`"${name}" is not a file, and a snapshot has only files`)
  return { name, size: number(block, 124, 12), isPax: type === 'x' }
}

/** The records of a pax header that Ion writes; others are ignored. */
export function parsePax(records: Buffer): Partial<TarEntry> {
  let found: Partial<TarEntry> = {}
  for (let at = 0; at < records.length; ) {
    const blank = records.indexOf(0x20, at)
    const length = blank < 0 ? Number.NaN : Number(records.toString('latin1', at, blank))
    const end = at + length
    if (!(length > blank - at + 1) || end > records.length) throw new Error('invalid pax header')
    const [, key, value] = /^([^=]*)=(.*)\n$/s.exec(records.toString('utf8', blank + 1, end)) ?? []
    if (key === 'path') found = { ...found, name: value! }
    if (key === 'size') found = { ...found, size: wholeNumber(value!, 10) }
    at = end
  }
  return found
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end < 0 ? length : end)
}

function number(block: Buffer, at: number, length: number): number {
  return wholeNumber(text(block, at, length).trim(), 8)
}

function wholeNumber(digits: string, radix: 8 | 10): number {
  const value = (radix === 8 ? /^[0-7]+$/ : /^[0-9]+$/).test(digits) ? Number.parseInt(digits, radix) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new Error('invalid number in tar header')
  return value
}
