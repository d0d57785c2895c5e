import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IonError } from '../../../platform/error.ts'

let count = 0

/** Writes the pieces beside the target and then moves them there: a reader sees the whole file or none. Returns its size. */
export function writeFile(target: string, pieces: Iterable<string>, force: boolean): number {
  mkdirSync(dirname(target), { recursive: true })
  const temporary = join(dirname(target), `.ion-export-${process.pid}-${++count}.tmp`)
  const file = openSync(temporary, 'wx')
  try {
    let size = 0
    try {
      for (const piece of gathered(pieces)) {
        const bytes = Buffer.from(piece)
        writeFileSync(file, bytes)
        size += bytes.length
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (force) renameSync(temporary, target)
    else moveNew(temporary, target)
    return size
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** A link fails where a rename would silently replace what came to be there meanwhile. */
function moveNew(temporary: string, target: string): void {
  try {
    linkSync(temporary, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyThere([target])
    // No links on this file system; that nothing was there was seen before.
    renameSync(temporary, target)
  }
}

export function alreadyThere(targets: readonly string[]): IonError {
  const what =
    targets.length === 1
      ? `${targets[0]} is there already`
      : `${targets.length} of the files are there already, such as ${targets[0]}`
  return new IonError('refused', what, { hint: 'give another -o, or --force to overwrite' })
}

const PIECE = 256 * 1024

/** Small pieces joined to larger ones, so that each write is worth its call. */
export function* gathered(pieces: Iterable<string>): Generator<string> {
  let parts: string[] = []
  let length = 0
  for (const piece of pieces) {
    parts.push(piece)
    length += piece.length
    if (length < PIECE) continue
    yield parts.join('')
    parts = []
    length = 0
  }
  if (length > 0) yield parts.join('')
}
