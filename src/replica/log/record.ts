import { createHash } from 'node:crypto'
import { parsedObject } from '../../native/narrow.ts'
import { isCount, isHash, isListOf, isText } from '../../vault/validate.ts'
import { newBytes, type Op, sizeAfter } from './delta.ts'

/** A record's place in the log of a task. The epoch is the tenure of one writer; its records are numbered from 1. */
export interface Place {
  readonly epoch: number
  readonly number: number
}

/** A place and the SHA-256 of the record there. */
export interface Head extends Place {
  readonly digest: string
}

export function isSameHead(a: Head | null | undefined, b: Head | null | undefined): boolean {
  return a?.digest !== undefined && a.digest === b?.digest && a.epoch === b.epoch && a.number === b.number
}

/** What the log does not look into: what kind of part it is, where it belongs. */
export type About = Readonly<Record<string, unknown>>

interface CommonRecord extends Place {
  readonly v: 1
  /** Who wrote it: a random id of one tenure. */
  readonly writer: string
  /** By the writer's clock, for people only. */
  readonly at: string
  /** The record before it; null for the first one of a task. */
  readonly prev: Head | null
  readonly about: About
}

interface CommonPart {
  readonly name: string
  readonly about: About
  readonly size: number
  /** Of its whole content. */
  readonly sha256: string
}

/** All parts, as pieces: a restore starts at one. */
export interface Checkpoint extends CommonRecord {
  readonly kind: 'checkpoint'
  readonly parts: readonly CheckpointPart[]
}

export interface CheckpointPart extends CommonPart {
  readonly pieces: readonly Piece[]
}

/** The name of a piece (see `PieceNames`), and its size. */
export type Piece = readonly [id: string, size: number]

/** What has changed since the record before. Its new bytes follow, those of the first change first. */
export interface Segment extends CommonRecord {
  readonly kind: 'segment'
  readonly changes: readonly PartChange[]
  readonly removed: readonly string[]
}

export interface PartChange extends CommonPart {
  readonly ops: readonly Op[]
}

export type LogRecord = Checkpoint | Segment

export interface DecodedRecord {
  readonly record: LogRecord
  readonly digest: string
  /** The new bytes of a segment. */
  readonly bytes: Buffer
}

/** A line of JSON, and the new bytes. */
export function encodeRecord(record: LogRecord, bytes: readonly Uint8Array[] = []): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(record)}\n`), ...bytes])
}

/** The error says what is wrong with it; the caller knows which one it is. */
export function decodeRecord(encoded: Buffer): DecodedRecord {
  const end = encoded.indexOf(10)
  const record = parsedObject(encoded.subarray(0, Math.max(0, end)).toString('utf8'))
  if (end < 0 || !record) throw new Error('is not a record')
  if (isCount(record.v) && record.v > 1) throw new Error(`was written by a newer version of Ion (format ${record.v})`)
  if (!isRecord(record)) throw new Error('is not a record')
  const bytes = encoded.subarray(end + 1)
  const expected = record.kind === 'segment' ? record.changes.reduce((sum, { ops }) => sum + newBytes(ops), 0) : 0
  if (bytes.length !== expected) throw new Error(`has ${bytes.length} bytes of content instead of ${expected}`)
  return { record, digest: digestOf(encoded), bytes }
}

function digestOf(encoded: Uint8Array): string {
  return createHash('sha256').update(encoded).digest('hex')
}

function isRecord(value: unknown): value is LogRecord {
  const { v, kind, writer, at, prev, about, parts, changes, removed, ...place } = Object(value) as Record<
    string,
    unknown
  >
  const isCommon =
    v === 1 && isText(writer) && isText(at) && isAbout(about) && isPlace(place) && (prev === null || isHead(prev))
  if (!isCommon) return false
  if (kind === 'checkpoint') return isListOf(parts, isCheckpointPart)
  return kind === 'segment' && isListOf(changes, isPartChange) && isListOf(removed, isText)
}

export function isHead(value: unknown): value is Head {
  return isPlace(value) && isHash((value as Head).digest)
}

function isPlace(value: unknown): boolean {
  const { epoch, number } = Object(value) as Record<string, unknown>
  return isCount(epoch) && isCount(number) && number > 0
}

function isAbout(value: unknown): value is About {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPart(value: unknown): value is CommonPart {
  const { name, about, size, sha256 } = Object(value) as Record<string, unknown>
  return isText(name) && isAbout(about) && isCount(size) && isHash(sha256)
}

function isCheckpointPart(value: unknown): boolean {
  const { pieces, size } = Object(value) as Partial<CheckpointPart>
  return (
    isPart(value) &&
    isListOf(pieces, (piece) => Array.isArray(piece) && isId(piece[0]) && isCount(piece[1]) && piece.length === 2) &&
    pieces!.reduce((sum, [, length]) => sum + length, 0) === size
  )
}

function isPartChange(value: unknown): boolean {
  const { ops, size } = Object(value) as Partial<PartChange>
  return isPart(value) && isListOf(ops, isOp) && sizeAfter(ops!) === size
}

function isOp(value: unknown): boolean {
  return Array.isArray(value) && (value.length === 1 || value.length === 2) && value.every(isCount)
}

function isId(value: unknown): boolean {
  return isText(value) && /^[0-9a-f]{32}(?:-[0-9a-f]{16})?$/.test(value)
}
