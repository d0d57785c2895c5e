import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import type { ReadContext } from '../../native/read-context.ts'
import { openRegularFile, readRegularFile } from '../../native/regular-file.ts'

/** Node has zstd since 22.15, but only for complete buffers: larger files are decompressed in pieces. */
const NATIVE_INPUT = 8 * 1024 * 1024
const NATIVE_OUTPUT = 128 * 1024 * 1024
const PIECE = 64 * 1024
const NEWLINE = 10

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer
const inflate = (zlib as { zstdDecompressSync?: Inflate }).zstdDecompressSync

/** The file's text in a private file, which `dispose` removes. For damaged data what could be read, and the error. */
export function decompressToFile(path: string, reading: ReadContext): Decompressed {
  const folder = mkdtempSync(join(tmpdir(), 'ion-read-'))
  const file = join(folder, 'rollout.jsonl')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const dispose = (): void => {
    process.removeListener('exit', remove)
    remove()
  }
  try {
    if (!writeNative(path, file, reading)) writePieces(path, file, reading)
    return { file, dispose, error: undefined }
  } catch (error) {
    return { file, dispose, error }
  }
}

export interface Decompressed {
  readonly file: string
  readonly dispose: () => void
  readonly error: unknown
}

/** The first `size` bytes of the text. */
export function decompressHead(path: string, size: number, reading: ReadContext): Buffer {
  const parts: Uint8Array[] = []
  let length = 0
  for (const part of decompressed(path, reading)) {
    parts.push(part)
    length += part.length
    if (length >= size) break
  }
  return Buffer.concat(parts).subarray(0, size)
}

function writeNative(path: string, file: string, reading: ReadContext): boolean {
  if (!inflate || statSync(path).size > NATIVE_INPUT) return false
  try {
    const bytes = readRegularFile(path)
    const text = inflate(bytes, { maxOutputLength: NATIVE_OUTPUT })
    // For a truncated file Node returns what there is without an error; a complete one ends with a newline.
    if (text.at(-1) !== NEWLINE) return false
    writeFileSync(file, text, { mode: 0o600 })
    reading.bytes += bytes.length
    return true
  } catch {
    // Too large or damaged: in pieces it is read as far as possible.
    return false
  }
}

function writePieces(path: string, file: string, reading: ReadContext): void {
  const fd = openSync(file, 'w', 0o600)
  try {
    for (const part of decompressed(path, reading)) writeSync(fd, part)
  } finally {
    closeSync(fd)
  }
}

/** The text in pieces; memory depends on the compression window, not on the file. Throws at damaged data. */
function* decompressed(path: string, reading: ReadContext): Generator<Uint8Array> {
  const fd = openRegularFile(path)
  try {
    let ready: Uint8Array[] = []
    const stream = new Decompress((part) => ready.push(part.slice()))
    for (let offset = 0; ; ) {
      const piece = Buffer.alloc(PIECE)
      const read = readSync(fd, piece, 0, PIECE, offset)
      offset += read
      reading.bytes += read
      stream.push(piece.subarray(0, read), read === 0)
      yield* ready
      ready = []
      if (read === 0) return
    }
  } finally {
    closeSync(fd)
  }
}
