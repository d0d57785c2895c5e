import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { BLOCK, padding, parseHeader, parsePax, type TarEntry } from './tar-header.ts'

/** Ion's pax headers have one name and one number; a larger one could exhaust memory. */
const MAX_PAX = 64 * 1024

/** A file in a tar. Its content must be read before the next entry is requested; what is not read is skipped. */
export interface ReadEntry extends TarEntry {
  readonly content: AsyncIterable<Buffer>
}

/** The data ends before the end of the tar. */
export class TruncatedTar extends Error {
  constructor() {
    super('it is truncated')
  }
}

/** The files of a `.tar.gz` in order, with bounded memory. Throws when it is damaged. */
export async function* readTar(path: string): AsyncGenerator<ReadEntry> {
  const file = createReadStream(path)
  const unpacked = createGunzip({ chunkSize: 256 * 1024 })
  file.on('error', (error) => unpacked.destroy(error))
  const bytes = new Bytes(file.pipe(unpacked))
  try {
    let pax: Partial<TarEntry> = {}
    for (;;) {
      const block = await bytes.take(BLOCK)
      if (block.every((byte) => byte === 0)) break
      const { isPax, ...entry } = parseHeader(block)
      if (isPax) {
        if (entry.size > MAX_PAX) throw new Error('a pax header is too large')
        pax = parsePax(await bytes.take(entry.size))
        await bytes.skip(padding(entry.size).length)
        continue
      }
      const { name, size } = { ...entry, ...pax }
      pax = {}
      checkName(name)
      const portion = { left: size }
      yield { name, size, content: bytes.some(portion) }
      await bytes.skip(portion.left + padding(size).length)
    }
    if ((await bytes.take(BLOCK)).some((byte) => byte !== 0)) throw new Error('invalid end block')
    // To the end of the file, where the last checksum is.
    await bytes.drain()
  } finally {
    file.destroy()
    unpacked.destroy()
  }
}

/** Names are never used as paths directly; an unsafe one shows that Ion did not write the file. */
function checkName(name: string): void {
  const isBad =
    name.startsWith('/') || /[\\\0]/.test(name) || name.split('/').some((part) => ['', '.', '..'].includes(part))
  if (isBad) throw new Error(`unsafe path in archive: "${name}"`)
}

/** Reads a stream in portions of given sizes. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.some({ left: count })) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.some({ left: count }));
  }

  /** The pieces of a portion as they arrive. */
  async *some(portion: { left: number }): AsyncGenerator<Buffer> {
    while (portion.left > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new TruncatedTar()
      const piece = this.#rest.subarray(0, portion.left)
      this.#rest = this.#rest.subarray(piece.length)
      portion.left -= piece.length
      yield piece
    }
  }

  async drain(): Promise<void> {
    do this.#rest = Buffer.alloc(0)
    while (await this.#more())
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    this.#rest = value
    return true
  }
}
