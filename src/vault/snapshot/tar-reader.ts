import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { BLOCK, parseHeader, parsePax, type TarEntry } from './tar-header.ts'

/** A pax header of Ion has one name and one number. */
const MAX_PAX = 64 * 1024

/** A file in a tar, with its bytes, which must be read (or skipped by going on) in order. */
export interface ReadEntry extends TarEntry {
  readonly content: AsyncIterable<Buffer>
}

/** The bytes end before the tar does. */
export class CutOff extends Error {
  constructor() {
    super('it is cut off')
  }
}

/** The files of a `.tar.gz`, one after the other; memory does not grow with them. Throws where it is damaged. */
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
        await bytes.skip(restOf(entry.size))
        continue
      }
      const { name, size } = { ...entry, ...pax }
      pax = {}
      checkName(name)
      const portion = { left: size }
      yield { name, size, content: bytes.some(portion) }
      // What was not looked at is passed by.
      await bytes.skip(portion.left + restOf(size))
    }
    if ((await bytes.take(BLOCK)).some((byte) => byte !== 0)) throw new Error('its end is not what was written')
    // To the end of the file, since the last checksum stands there.
    await bytes.drain()
  } finally {
    file.destroy()
    unpacked.destroy()
  }
}

/** Names are never used as paths as they are; one that would lead elsewhere shows that the file is not from Ion. */
function checkName(name: string): void {
  const isBad =
    name.startsWith('/') || /[\\\0]/.test(name) || name.split('/').some((part) => ['', '.', '..'].includes(part))
  if (isBad) throw new Error(`"${name}" is a name that leads elsewhere`)
}

function restOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

/** A stream of bytes in the portions that one wants. */
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

  /** As they come, until nothing of the portion is left. */
  async *some(portion: { left: number }): AsyncGenerator<Buffer> {
    while (portion.left > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new CutOff()
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
