import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder, writeAll } from '../../platform/atomic-file.ts'
import { isPieceOf } from './piece-names.ts'
import type { LoadedState } from './read-log.ts'
import type { LogState } from './state.ts'
import type { TaskLog } from './task-log.ts'

/** Pieces that are on their way or at hand: about so many times a piece of up to 4 MiB in memory. */
const AHEAD = 8

/** Downloads the content of all parts into a folder. Returns their files by name, complete and checked. */
export async function fetchParts(
  log: TaskLog,
  { state, bytes }: LoadedState,
  folder: string,
  onBytes: (count: number) => void = () => {},
): Promise<Map<string, string>> {
  privateFolder(folder)
  const pieces = new PieceReader(log, neededPieces(state, bytes))
  const files = new Map<string, string>()
  for (const [name, { extents, size, sha256 }] of state.parts) {
    // Numbered: names come from the store, and may have characters that no file can have.
    const file = join(folder, String(files.size))
    const fd = openSync(file, 'wx', 0o600)
    const hash = createHash('sha256')
    let written = 0
    try {
      for (const { source, from, length } of extents) {
        const all = bytes.get(source) ?? (await pieces.next(source))
        const range = all.subarray(from, from + length)
        hash.update(range)
        writeAll(fd, range)
        written += range.length
        onBytes(range.length)
      }
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    if (written !== size || hash.digest('hex') !== sha256) throw log.damaged(`"${name}"`, 'is not what was stored')
    files.set(name, file)
  }
  return files
}

/** In the order in which they are needed; one that is needed several times in a row counts once. */
function neededPieces({ parts }: LogState, bytes: ReadonlyMap<string, Buffer>): string[] {
  return [...parts.values()]
    .flatMap(({ extents }) => extents.map(({ source }) => source))
    .filter((source) => !bytes.has(source))
    .filter((source, index, all) => source !== all[index - 1])
}

/** Reads pieces in a known order, some of them ahead. */
class PieceReader {
  readonly #log: TaskLog
  readonly #wanted: readonly string[]
  readonly #ahead: Promise<Buffer>[] = []
  #started = 0
  #last: { readonly id: string; readonly content: Buffer } | undefined

  constructor(log: TaskLog, wanted: readonly string[]) {
    this.#log = log
    this.#wanted = wanted
  }

  async next(id: string): Promise<Buffer> {
    if (this.#last?.id === id) return this.#last.content
    while (this.#ahead.length < AHEAD && this.#started < this.#wanted.length) {
      const piece = this.#read(this.#wanted[this.#started++]!)
      // Its failure is reported when it is its turn.
      piece.catch(() => {})
      this.#ahead.push(piece)
    }
    const content = await this.#ahead.shift()!
    this.#last = { id, content }
    return content
  }

  #read(id: string): Promise<Buffer> {
    return this.#log.read(this.#log.keys.piece(id), (plain) => {
      if (!isPieceOf(this.#log.sealer, id, plain)) throw new Error('is another piece')
      return plain
    })
  }
}
