import { applyOps, type Extent, newBytes, onlyAppends } from './delta.ts'
import { type About, type DecodedRecord, type Head, isSameHead, type Piece } from './record.ts'

/** What the log says after some record. */
export interface LogState {
  readonly head: Head
  /** Who wrote the last record. */
  readonly writer: string
  readonly at: string
  readonly about: About
  readonly parts: ReadonlyMap<string, PartState>
  /** The records after the last checkpoint, which a restore reads too. */
  readonly since: { readonly segments: number; readonly bytes: number }
}

export interface PartState {
  readonly about: About
  readonly size: number
  readonly sha256: string
  /** Its content at the last checkpoint. */
  readonly pieces: readonly Piece[]
  /** Since then it only grew. */
  readonly isAppended: boolean
  readonly extents: readonly Extent[]
}

/** The source of bytes that a segment brought. */
export function segmentSource({ epoch, number }: Head): string {
  return `${epoch}/${number}`
}

/** The state after the next record. Throws if it is not the next one, or does not fit. */
export function advance(state: LogState | undefined, { record, digest, bytes }: DecodedRecord): LogState {
  const { epoch, number, writer, at, about } = record
  const head = { epoch, number, digest }
  if (state && !isSameHead(record.prev, state.head)) throw new Error('does not follow the record before it')
  if (record.kind === 'checkpoint') {
    const parts = record.parts.map(({ name, about, size, sha256, pieces }): [string, PartState] => {
      const extents = pieces.map(([source, length]) => ({ source, from: 0, length }))
      return [name, { about, size, sha256, pieces, isAppended: true, extents }]
    })
    return { head, writer, at, about, parts: new Map(parts), since: { segments: 0, bytes: 0 } }
  }
  if (!state) throw new Error('needs the records before it')
  const parts = new Map(state.parts)
  for (const name of record.removed) parts.delete(name)
  let from = 0
  for (const { name, about, size, sha256, ops } of record.changes) {
    const { pieces = [], isAppended = true, extents = [], size: before = 0 } = parts.get(name) ?? {}
    parts.set(name, {
      about,
      size,
      sha256,
      pieces,
      isAppended: isAppended && onlyAppends(ops, before),
      extents: applyOps(extents, ops, segmentSource(head), from),
    })
    from += newBytes(ops)
  }
  const since = { segments: state.since.segments + 1, bytes: state.since.bytes + bytes.length }
  return { head, writer, at, about, parts, since }
}

/** The bytes of all parts. */
export function sizeOf({ parts }: LogState): number {
  return [...parts.values()].reduce((sum, { size }) => sum + size, 0)
}
