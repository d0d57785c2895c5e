import { createHash } from 'node:crypto'
import { toJsonText } from '../../platform/json-text.ts'
import { newBytes, type Op, onlyAppends } from './delta.ts'
import { inParallel } from './in-parallel.ts'
import { PieceNames } from './piece-names.ts'
import { loadNewest, type Tenure } from './read-log.ts'
import {
  type About,
  type Checkpoint,
  type CheckpointPart,
  decodeRecord,
  encodeRecord,
  type Head,
  type PartChange,
  type Piece,
  type Segment,
} from './record.ts'
import { type ChunkSizes, split } from './split.ts'
import { advance, type LogState, type PartState } from './state.ts'
import type { TaskLog } from './task-log.ts'

/** A task at one moment. Its content can be read until it is stored. */
export interface Image {
  readonly about: About
  readonly parts: readonly ImagePart[]
}

export interface ImagePart {
  readonly name: string
  readonly about: About
  readonly size: number
  readonly sha256: string
  /** The bytes of a range, in blocks that are valid until the next one. */
  read(from: number, to: number): Iterable<Uint8Array>
  /** How it came from the content with that hash. Undefined if that is not known: then the part is stored anew. */
  changeFrom(sha256: string): ContentChange | undefined
}

export interface ContentChange {
  readonly ops: readonly Op[]
  /** The new bytes, in blocks that are valid until the next one. */
  bytes(): Iterable<Uint8Array>
}

/** Another workspace has taken over the task: nothing more is written here. */
export class Fenced extends Error {}

export interface LogLimits {
  /** A restore reads a checkpoint and what follows: not more records and bytes than this. */
  readonly segments: number
  readonly bytes: number
  /** A growing file shares all pieces but the last with its earlier version; any other, those that are the same. */
  readonly pieces: ChunkSizes
}

const LIMITS: LogLimits = {
  segments: 64,
  bytes: 1024 * 1024,
  pieces: { min: 256 * 1024, bits: 20, max: 4 * 1024 * 1024 },
}

const PARALLEL_PUTS = 6

/** Appends to the log of a task. There is one writer in an epoch; the lease of the task makes sure of that. */
export class LogWriter {
  readonly #log: TaskLog
  readonly #tenure: Tenure & { readonly writer: string }
  readonly #limits: LogLimits
  readonly #names: PieceNames
  /** What is in the store, as far as it is known here. */
  #state: LogState | undefined
  /** The last record may have been stored, and only the answer was lost. */
  #isInDoubt = false

  constructor(
    log: TaskLog,
    tenure: Tenure & { readonly writer: string },
    state: LogState | undefined,
    limits = LIMITS,
  ) {
    this.#log = log
    this.#tenure = tenure
    this.#state = state
    this.#limits = limits
    this.#names = new PieceNames(log.sealer)
  }

  get state(): LogState | undefined {
    return this.#state
  }

  /** The last record in the store: also one whose answer was lost. */
  async head(): Promise<Head | undefined> {
    if (this.#isInDoubt) await this.#readBack()
    return this.#state?.head
  }

  /**
   * Stores what has changed; durable when it resolves. Returns whether anything had. After an error it can be called again,
   * with the same image or a newer one. Throws `Fenced` when another workspace writes in this epoch.
   */
  async store(image: Image, at: Date): Promise<boolean> {
    if (this.#isInDoubt) await this.#readBack()
    return this.#store(image, at)
  }

  async #store(image: Image, at: Date): Promise<boolean> {
    const state = this.#state
    const changed = image.parts.filter((part) => !isStored(part, state?.parts.get(part.name)))
    const names = new Set(image.parts.map(({ name }) => name))
    const removed = [...(state?.parts.keys() ?? [])].filter((name) => !names.has(name))
    const isSameAbout = state !== undefined && toJsonText(state.about) === toJsonText(image.about)
    if (changed.length === 0 && removed.length === 0 && isSameAbout) return false
    const { epoch, writer } = this.#tenure
    const number = state?.head.epoch === epoch ? state.head.number + 1 : 1
    const common = {
      v: 1,
      epoch,
      number,
      writer,
      at: at.toISOString(),
      prev: state?.head ?? null,
      about: image.about,
    } as const
    const segment = state && asSegment(changed, state, this.#limits)
    if (segment) {
      await this.#append({ ...common, kind: 'segment', changes: segment.changes, removed }, segment.bytes)
      return true
    }
    const parts: CheckpointPart[] = []
    for (const part of image.parts) {
      const { name, about, size, sha256 } = part
      parts.push({ name, about, size, sha256, pieces: await this.#storePieces(part) })
    }
    await this.#append({ ...common, kind: 'checkpoint', parts })
    this.#names.recorded()
    return true
  }

  async #append(record: Segment | Checkpoint, bytes: readonly Uint8Array[] = []): Promise<void> {
    const encoded = encodeRecord(record, bytes)
    const { base } = this.#tenure
    this.#isInDoubt = true
    await this.#log.put(this.#log.keys.record(record, base ?? undefined, record.kind), encoded, { isNew: true })
    this.#isInDoubt = false
    this.#state = advance(this.#state, decodeRecord(encoded))
  }

  async #storePieces(part: ImagePart): Promise<Piece[]> {
    const known = this.#state?.parts.get(part.name)
    const kept = known ? piecesToKeep(known, part) : []
    const from = kept.reduce((sum, [, size]) => sum + size, 0)
    const reusable = this.#names.reusable(known?.pieces ?? [])
    const pieces: Piece[] = [...kept]
    const hash = createHash('sha256')
    await inParallel(PARALLEL_PUTS, split(part.read(from, part.size), this.#limits.pieces), async (bytes) => {
      const { id, isNew } = reusable.nameOf(bytes)
      pieces.push([id, bytes.length])
      if (from === 0) hash.update(bytes)
      if (!isNew) return
      await this.#log.put(this.#log.keys.piece(id), bytes)
      this.#names.put(id)
    })
    const size = pieces.reduce((sum, [, length]) => sum + length, 0)
    if (size !== part.size || (from === 0 && hash.digest('hex') !== part.sha256)) {
      throw changedMeanwhile(part.name)
    }
    return pieces
  }

  async #readBack(): Promise<void> {
    const loaded = await loadNewest(this.#log, this.#tenure)
    const { epoch, writer } = this.#tenure
    const head = loaded?.state.head
    if (head?.epoch === epoch && loaded?.state.writer !== writer) throw new Fenced('another writer has this epoch')
    this.#state = loaded?.state
    this.#isInDoubt = false
  }
}

function changedMeanwhile(name: string): Error {
  return new Error(`"${name}" changed while it was read`)
}

function digestOf(blocks: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const block of blocks) hash.update(block)
  return hash.digest('hex')
}

function isStored(part: ImagePart, stored: PartState | undefined): boolean {
  return (
    stored !== undefined &&
    stored.sha256 === part.sha256 &&
    stored.size === part.size &&
    toJsonText(stored.about) === toJsonText(part.about)
  )
}

/** Undefined when a checkpoint is due, or too much has changed. */
function asSegment(
  changed: readonly ImagePart[],
  { parts, since }: LogState,
  limits: LogLimits,
): { readonly changes: PartChange[]; readonly bytes: Uint8Array[] } | undefined {
  if (since.segments >= limits.segments) return undefined
  const changes: PartChange[] = []
  const bytes: Uint8Array[] = []
  let size = since.bytes
  for (const part of changed) {
    const { name, about, sha256 } = part
    const stored = parts.get(name)
    const change = stored && changeOf(part, stored)
    size += change ? newBytes(change.ops) : part.size
    if (size > limits.bytes) return undefined
    changes.push({ name, about, size: part.size, sha256, ops: change?.ops ?? [[part.size]] })
    const from = bytes.length
    for (const block of change?.bytes() ?? part.read(0, part.size)) bytes.push(Buffer.from(block))
    if (!change && digestOf(bytes.slice(from)) !== sha256) throw changedMeanwhile(name)
  }
  return { changes, bytes }
}

function changeOf(part: ImagePart, stored: PartState): ContentChange | undefined {
  // Only what is known about it has changed.
  if (part.sha256 === stored.sha256) return { ops: [[0, part.size]], bytes: () => [] }
  return part.changeFrom(stored.sha256)
}

/** Those that begin the content as it is now. The last piece of a part that grew was cut by its end, not by its content. */
function piecesToKeep(stored: PartState, part: ImagePart): readonly Piece[] {
  const { pieces, isAppended, size } = stored
  const change = isAppended ? changeOf(part, stored) : undefined
  if (!change || !onlyAppends(change.ops, size)) return []
  const covered = pieces.reduce((sum, [, length]) => sum + length, 0)
  return covered === part.size ? pieces : pieces.slice(0, -1)
}
