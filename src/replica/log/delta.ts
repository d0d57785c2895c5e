import { createHash } from 'node:crypto'
import { type ChunkSizes, split } from './split.ts'

/** How content came from its earlier version: a range copied from that, or so many new bytes; in order. */
export type Op = readonly [from: number, length: number] | readonly [length: number]

/** Where the bytes of some content are: a range of a piece, or of what a record brought. */
export interface Extent {
  readonly source: string
  readonly from: number
  readonly length: number
}

function isCopy(op: Op): op is readonly [from: number, length: number] {
  return op.length === 2
}

/** The number of bytes that the operations bring. */
export function newBytes(ops: readonly Op[]): number {
  return ops.reduce((sum, op) => sum + (isCopy(op) ? 0 : op[0]), 0)
}

export function sizeAfter(ops: readonly Op[]): number {
  return ops.reduce((sum, op) => sum + (isCopy(op) ? op[1] : op[0]), 0)
}

/** The content only grew: everything before is copied as it was, and the rest is new. */
export function onlyAppends(ops: readonly Op[], size: number): boolean {
  const [first, ...rest] = ops
  if (size === 0) return ops.every((op) => !isCopy(op))
  return first !== undefined && isCopy(first) && first[0] === 0 && first[1] === size && rest.every((op) => !isCopy(op))
}

/** Where the bytes are after the operations, whose new bytes are at `from` of `source`. Throws for a range that is not there. */
export function applyOps(before: readonly Extent[], ops: readonly Op[], source: string, from: number): Extent[] {
  const after: Extent[] = []
  let at = from
  for (const op of ops) {
    if (isCopy(op)) {
      for (const extent of rangeOf(before, op[0], op[1])) push(after, extent)
    } else {
      push(after, { source, from: at, length: op[0] })
      at += op[0]
    }
  }
  return after
}

function* rangeOf(extents: readonly Extent[], from: number, length: number): Generator<Extent> {
  let start = 0
  let missing = length
  for (const extent of extents) {
    const skipped = Math.max(0, from - start)
    const count = Math.min(extent.length - skipped, missing)
    if (count > 0) {
      yield { source: extent.source, from: extent.from + skipped, length: count }
      missing -= count
    }
    start += extent.length
    if (missing === 0) return
  }
  if (missing > 0) throw new Error('a change refers to bytes that its earlier version does not have')
}

function push(extents: Extent[], extent: Extent): void {
  if (extent.length === 0) return
  const last = extents.at(-1)
  if (last && last.source === extent.source && last.from + last.length === extent.from) {
    extents[extents.length - 1] = { ...last, length: last.length + extent.length }
  } else {
    extents.push(extent)
  }
}

/** Small, so that a change somewhere in a file costs little more than itself. */
const FINE: ChunkSizes = { min: 512, bits: 12, max: 32 * 1024 }

/** Where the chunks of some content are, by their hashes: enough to describe another version of it. */
export class ContentIndex {
  readonly #places = new Map<string, { readonly from: number; readonly length: number }>()

  constructor(content: Iterable<Uint8Array>) {
    let from = 0
    for (const chunk of split(content, FINE)) {
      this.#places.set(hashOf(chunk), { from, length: chunk.length })
      from += chunk.length
    }
  }

  /** How `content` comes from the content of this index. The new bytes are passed to `take`, in order. */
  diff(content: Iterable<Uint8Array>, take: (bytes: Buffer) => void): Op[] {
    const ops: Op[] = []
    for (const chunk of split(content, FINE)) {
      const known = this.#places.get(hashOf(chunk))
      const last = ops.at(-1)
      if (known) {
        if (last && isCopy(last) && last[0] + last[1] === known.from)
          ops[ops.length - 1] = [last[0], last[1] + known.length]
        else ops.push([known.from, known.length])
      } else {
        if (last && !isCopy(last)) ops[ops.length - 1] = [last[0] + chunk.length]
        else ops.push([chunk.length])
        take(chunk)
      }
    }
    return ops
  }
}

function hashOf(chunk: Uint8Array): string {
  return createHash('sha256').update(chunk).digest('base64')
}
