import { createHash, randomBytes } from 'node:crypto'
import type { Sealer } from '../seal/sealer.ts'
import type { Piece } from './record.ts'

/** Half of the time for which pieces that no record names are kept. */
const REUSED_MS = 12 * 3600_000

interface PutPiece {
  readonly id: string
  readonly putAt: number
  readonly putAfterMs: number
}

/**
 * The names of pieces: a hash of the content, 32 digits, and 16 random digits. So none is ever put a second time. If one were,
 * a prune that has just seen that no record needs it could remove it at the moment at which it is needed again: not every S3
 * server can remove an object on a condition.
 */
export class PieceNames {
  readonly #sealer: Sealer
  /** What was put by this process, and is in no record yet. After a failure it need not be put again. */
  readonly #unnamed = new Map<string, PutPiece>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** What need not be put: `kept`, which the newest checkpoint names, and what was put just now. */
  reusable(kept: readonly Piece[]): KnownPieces {
    const ids = new Map<string, string>()
    for (const [content, piece] of this.#unnamed) if (isYoung(piece)) ids.set(content, piece.id)
    for (const [id] of kept) ids.set(contentOf(id), id)
    return new KnownPieces(this.#sealer, ids)
  }

  /** It is in the store. */
  put(id: string): void {
    this.#unnamed.set(contentOf(id), { id, putAt: Date.now(), putAfterMs: performance.now() })
  }

  /** A record names them. */
  recorded(): void {
    this.#unnamed.clear()
  }
}

/** Either clock may have stopped while the machine slept, or been set. */
function isYoung({ putAt, putAfterMs }: PutPiece): boolean {
  return Math.abs(Date.now() - putAt) < REUSED_MS && performance.now() - putAfterMs < REUSED_MS
}

/** The pieces that one part can use. */
class KnownPieces {
  readonly #sealer: Sealer
  readonly #ids: Map<string, string>

  constructor(sealer: Sealer, ids: Map<string, string>) {
    this.#sealer = sealer
    this.#ids = ids
  }

  /** The name of the piece with this content; `isNew`: it is to be put under that name. */
  nameOf(bytes: Uint8Array): { readonly id: string; readonly isNew: boolean } {
    const content = contentName(this.#sealer, bytes)
    const known = this.#ids.get(content)
    if (known !== undefined) return { id: known, isNew: false }
    const id = `${content}-${randomBytes(8).toString('hex')}`
    this.#ids.set(content, id)
    return { id, isNew: true }
  }
}

/** Whether this is the content of the piece with this name. */
export function isPieceOf(sealer: Sealer, id: string, bytes: Uint8Array): boolean {
  return contentOf(id) === contentName(sealer, bytes)
}

/** Earlier versions added nothing to that. */
function contentOf(id: string): string {
  return id.slice(0, 32)
}

function contentName(sealer: Sealer, bytes: Uint8Array): string {
  return sealer.name('piece', createHash('sha256').update(bytes).digest('hex'))
}
