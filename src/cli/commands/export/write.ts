import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { exportFileName } from '../../../export/file-name.ts'
import { INDEX_FILE } from '../../../export/folder-index.ts'
import { type FolderLinks, fileHref, linksBetween } from '../../../export/folder-order.ts'
import type { ExportFormat } from '../../../export/session.ts'
import { IonError } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { oneLine } from '../../text.ts'
import { requireParentFolder } from '../../validate.ts'

export interface WriteRequest {
  readonly output: string
  readonly format: ExportFormat
  /** `output` is a folder, even if it does not exist yet. */
  readonly several: boolean
  readonly force: boolean
  /** See ExportRequest. */
  readonly otherPlace?: string
  /** The title for the file's name, masked if the session is. */
  readonly titleOf: (row: SessionRow) => string | null
  readonly piecesOf: (row: SessionRow, links?: FolderLinks) => Iterable<string>
  /** Makes a folder of pages browsable: the page that lists those that were written. Written last. */
  readonly indexOf?: (written: readonly Written[]) => Iterable<string>
}

/** A session's file. */
export interface Written {
  readonly row: SessionRow
  readonly file: string
  readonly bytes: number
}

interface WriteReporter {
  note(line: string): void
  onProgress(done: number, total: number): void
}

/** With more files than this, only their number is reported. */
const MAX_LISTED = 20

/**
 * Writes each session to its file, then the index. Refuses before writing anything if one of the files already exists. An export
 * that is interrupted leaves the index as it was, or none.
 */
export function writeSessions(
  rows: readonly SessionRow[],
  request: WriteRequest,
  io: Io,
  { note, onProgress }: WriteReporter,
): void {
  const { output, several, indexOf } = request
  const targets = chooseTargets(rows, request, io.cwd)
  const links = indexOf && linksOf(targets)
  const written: Written[] = []
  let total = 0
  for (const [done, { row, path }] of targets.entries()) {
    if (several) onProgress(done, targets.length)
    const size = writeFile(path, request.piecesOf(row, links?.get(row)), request)
    written.push({ row, file: basename(path), bytes: size })
    total += size
    if (targets.length <= MAX_LISTED) note(`wrote ${oneLine(tilde(path, io))} (${bytes(size)})`)
  }
  if (indexOf && targets.length > 0) {
    const folder = dirname(targets[0]!.path)
    const path = join(folder, INDEX_FILE)
    const size = writeFile(path, indexOf(written), request)
    total += size
    note(`wrote ${oneLine(tilde(path, io))} (${bytes(size)})`)
    const others = countOtherPages(folder, written)
    if (others > 0) note(`not in the index: ${pluralize(others, 'page')} of earlier exports in this folder`)
  }
  if (several) note(`${pluralize(targets.length, 'session')}, ${bytes(total)}, in ${oneLine(tilde(output, io))}`)
}

function linksOf(targets: readonly Target[]): Map<SessionRow, FolderLinks> {
  const files = new Map(targets.map(({ row, path }) => [row, basename(path)]))
  return linksBetween([...files.keys()], INDEX_FILE, (row) => fileHref(files.get(row)!))
}

function countOtherPages(folder: string, written: readonly Written[]): number {
  const ours = new Set([INDEX_FILE, ...written.map(({ file }) => file)])
  return readdirSync(folder).filter((name) => name.endsWith('.html') && !name.startsWith('.') && !ours.has(name)).length
}

interface Target {
  readonly row: SessionRow
  readonly path: string
}

function chooseTargets(rows: readonly SessionRow[], request: WriteRequest, cwd: string): Target[] {
  const { output, several, force, otherPlace } = request
  const path = resolve(cwd, output)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (several && !isFolder && existsSync(path)) {
    throw new IonError('usage', `${path} is a file, but several sessions need a folder`, {
      hint: otherPlace ?? 'ion export … -o <folder>',
    })
  }
  // Before the names, which take a while where they must be masked.
  const index = join(path, INDEX_FILE)
  if (request.indexOf && rows.length > 0 && !force && existsSync(index)) throw alreadyExists([index], request)
  const targets =
    several || isFolder || /[\\/]$/.test(output)
      ? nameInFolder(rows, path, request)
      : rows.map((row) => ({ row, path }))
  if (!several && !isFolder && targets[0]?.path === path) requireParentFolder(path)
  const existing = force ? [] : targets.map((target) => target.path).filter((file) => existsSync(file))
  if (existing.length > 0) throw alreadyExists(existing, request)
  return targets
}

/** Two sessions may share day, title and the beginning of their ids: the second is then named by its full id. */
function nameInFolder(rows: readonly SessionRow[], folder: string, { format, titleOf }: WriteRequest): Target[] {
  const used = new Set<string>([INDEX_FILE])
  return rows.map((row) => {
    let name = exportFileName({ ...row, title: titleOf(row) }, format)
    if (used.has(name)) name = `${row.id}.${format}`
    for (let n = 2; used.has(name); n++) name = `${row.id}-${n}.${format}`
    used.add(name)
    return { row, path: join(folder, name) }
  })
}

let temporaryFiles = 0

/** Writes beside the target and then moves it there, so that a reader sees the complete file or none. Returns its size. */
function writeFile(target: string, pieces: Iterable<string>, request: WriteRequest): number {
  mkdirSync(dirname(target), { recursive: true })
  const temporary = join(dirname(target), `.ion-export-${process.pid}-${++temporaryFiles}.tmp`)
  const file = openSync(temporary, 'wx')
  try {
    let size = 0
    try {
      for (const piece of joinPieces(pieces)) {
        const data = Buffer.from(piece)
        writeFileSync(file, data)
        size += data.length
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (request.force) renameSync(temporary, target)
    else moveWithoutReplacing(temporary, target, request)
    return size
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Creating a link fails where a rename would silently replace a file that appeared meanwhile. */
function moveWithoutReplacing(temporary: string, target: string, request: WriteRequest): void {
  try {
    linkSync(temporary, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists([target], request)
    // The file system has no hard links; that the target did not exist was checked before.
    renameSync(temporary, target)
  }
}

function alreadyExists(targets: readonly string[], { otherPlace }: WriteRequest): IonError {
  const what =
    targets.length === 1
      ? `${targets[0]} already exists`
      : `${targets.length} of the files already exist, such as ${targets[0]}`
  return new IonError('refused', what, { hint: otherPlace ?? 'give another -o, or --force to overwrite' })
}

const PIECE_LENGTH = 256 * 1024

/** Joins small pieces, so that there are fewer writes. */
export function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let parts: string[] = []
  let length = 0
  for (const piece of pieces) {
    if (piece === '') continue
    parts.push(piece)
    length += piece.length
    if (length < PIECE_LENGTH) continue
    yield parts.join('')
    parts = []
    length = 0
  }
  if (length > 0) yield parts.join('')
}
