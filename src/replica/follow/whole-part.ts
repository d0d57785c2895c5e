import { createHash } from 'node:crypto'
import { SeenFiles } from '../../live/seen-files.ts'
import { stampOf } from '../../native/walk.ts'
import type { Io } from '../../platform/io.ts'
import { retryIfChanged } from '../../vault/part-content.ts'
import { Spool } from '../../vault/snapshot/spool.ts'
import { ContentIndex, type Op } from '../log/delta.ts'
import type { About } from '../log/record.ts'
import type { ContentChange, ImagePart } from '../log/write-log.ts'

/** Reads the content from its start; returns what is known about it, or undefined when it does not exist. */
export type ReadContent = (take: (bytes: Buffer) => void) => About | undefined

/** A larger one is stored anew when it has changed, as pieces of which most are the same. */
const MAX_INDEXED = 64 * 1024 * 1024

/**
 * A part that may change anywhere: a file that is replaced, or rows of a database. It is read whole when its files have
 * changed, and held until it is stored.
 */
export class WholePart {
  readonly #path: string
  readonly #spoolFolder: string
  readonly #seen: SeenFiles
  #current: Held | undefined
  #stored: { readonly sha256: string; readonly index: ContentIndex } | undefined

  /** `path`: the file that changes when the content does. `spoolFolder`: for content that does not fit into memory. */
  constructor(path: string, spoolFolder: string, io: Io) {
    this.#path = path
    this.#spoolFolder = spoolFolder
    this.#seen = new SeenFiles(io)
  }

  /** Undefined when it does not exist. */
  look(name: string, read: ReadContent): ImagePart | undefined {
    const files = [this.#path, `${this.#path}-wal`].flatMap((path) => stampOf(path) ?? [])
    if (this.#current && this.#seen.compare(files) !== 'changed') return this.#part(name, this.#current)
    this.#seen.note(files)
    const now = this.#readNow(read)
    this.#current?.spool.clear()
    this.#current = now
    return this.#current && this.#part(name, this.#current)
  }

  /** That part is in the store now. */
  stored({ sha256, size }: { readonly sha256: string; readonly size: number }): void {
    const current = this.#current
    if (this.#stored?.sha256 === sha256 || current?.sha256 !== sha256) return
    this.#stored = size > MAX_INDEXED ? undefined : { sha256, index: new ContentIndex(current.spool.read(0, size)) }
  }

  close(): void {
    this.#current?.spool.clear()
    this.#current = undefined
  }

  #readNow(read: ReadContent): Held | undefined {
    const spool = new Spool(this.#spoolFolder)
    let hash = createHash('sha256')
    const begin = (): void => {
      spool.clear()
      hash = createHash('sha256')
    }
    const about = retryIfChanged(begin, () =>
      read((bytes) => {
        spool.append(bytes)
        hash.update(bytes)
      }),
    )
    return about && { about, spool, size: spool.size, sha256: hash.digest('hex') }
  }

  #part(name: string, { about, spool, size, sha256 }: Held): ImagePart {
    const known = this.#stored
    const read = (from: number, to: number): Iterable<Uint8Array> => spool.read(from, to - from)
    return {
      name,
      about,
      size,
      sha256,
      read,
      changeFrom(from): ContentChange | undefined {
        if (known?.sha256 !== from) return undefined
        const bytes: Buffer[] = []
        const ops: readonly Op[] = known.index.diff(read(0, size), (chunk) => bytes.push(chunk))
        return { ops, bytes: () => bytes }
      },
    }
  }
}

interface Held {
  readonly about: About
  readonly spool: Spool
  readonly size: number
  readonly sha256: string
}
