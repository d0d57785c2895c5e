import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { isProblem, type Problem } from '../events/item.ts'
import { changeTime } from '../platform/change-time.ts'
import { isMissing } from '../platform/error.ts'
import { cannotRead } from './problem.ts'
import type { ReadContext } from './read-context.ts'

/** Distinguishes states of a file. */
export interface FileStamp {
  readonly path: string
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** Something is where it should not be, and the user should know. */
export const FOLDER_FOR_FILE = { code: 'not_regular_file', problem: 'a folder where a file should be' } as const

/** Entries of a folder, sorted by name; none if it does not exist, a problem if it cannot be read. */
export function* listFolder(path: string, reading: ReadContext): Generator<Dirent | Problem> {
  let entries: Dirent[]
  try {
    // The time is read first, so that a file added meanwhile makes the folder newer than the reported time.
    const { mtimeMs } = statSync(path)
    entries = readdirSync(path, { withFileTypes: true })
    reading.onFolder?.(path, mtimeMs)
  } catch (error) {
    // A missing folder is reported too, so that its creation is noticed.
    if (isMissing(error)) reading.onFolder?.(path, 0)
    else yield cannotRead(path, error, 'cannot read the folder')
    return
  }
  yield* entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Reports a folder in which a file was expected, so that its creation is noticed. */
export function noteFolder(path: string, reading: ReadContext): void {
  if (isFolder(path)) noteFile(path, reading)
}

/** Reports a file that decides which sources there are, or its absence, so that its next change is noticed. */
export function noteFile(path: string, reading: ReadContext): void {
  const stat = statOf(path)
  reading.onFolder?.(path, stat ? changeTime(stat) : 0)
}

/** Names of the sub-folders of `path` (links to folders included). */
export function* subfolders(path: string, reading: ReadContext): Generator<string | Problem> {
  for (const entry of listFolder(path, reading)) {
    if (isProblem(entry)) yield entry
    else if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(path, entry.name), reading)))
      yield entry.name
  }
}

/** The same sub-folders by their paths. */
export function* foldersIn(path: string, reading: ReadContext): Generator<string | Problem> {
  for (const name of subfolders(path, reading)) yield typeof name === 'string' ? join(path, name) : name
}

/**
 * Names of the files of `path` that match. A folder with a file's name is a problem that the user should know, and so is
 * a pipe or a socket, which would block for ever. A dangling link is not.
 */
export function* filesIn(path: string, pattern: RegExp, reading: ReadContext): Generator<string | Problem> {
  for (const entry of listFolder(path, reading)) {
    if (isProblem(entry)) yield entry
    else if (!pattern.test(entry.name)) continue
    else if (entry.isDirectory()) yield { ...FOLDER_FOR_FILE, path: join(path, entry.name) }
    else if (entry.isFile() || isFile(join(path, entry.name), reading)) yield entry.name
    else if (!entry.isSymbolicLink())
      yield { code: 'not_regular_file', problem: 'not a regular file', path: join(path, entry.name) }
  }
}

/** The same files by their paths. */
export function* pathsIn(folder: string, pattern: RegExp, reading: ReadContext): Generator<string | Problem> {
  for (const name of filesIn(folder, pattern, reading)) yield typeof name === 'string' ? join(folder, name) : name
}

/** The same files with their stamps. */
export function* stampsIn(path: string, pattern: RegExp, reading: ReadContext): Generator<FileStamp | Problem> {
  for (const name of filesIn(path, pattern, reading)) {
    const found = typeof name === 'string' ? stampOf(join(path, name)) : name
    if (found) yield found
  }
}

/** The same files, each as a separate source. */
export function* fileSources(
  folder: string,
  pattern: RegExp,
  reading: ReadContext,
): Generator<{ readonly path: string; readonly files: readonly FileStamp[] } | Problem> {
  for (const stamp of stampsIn(folder, pattern, reading)) {
    yield isProblem(stamp) ? stamp : { path: stamp.path, files: [stamp] }
  }
}

/**
 * The file's stamp; undefined if it does not exist (it may vanish after it was listed). Where it need not exist, `reading` gets
 * its absence reported, so that its creation is noticed.
 */
export function stampOf(path: string, reading?: ReadContext): FileStamp | undefined {
  const stat = statOf(path, reading)
  return stat && { path, dev: stat.dev, ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs }
}

/** What a link leads to may appear later. */
function isFolder(path: string, reading?: ReadContext): boolean {
  return statOf(path, reading)?.isDirectory() ?? false
}

function isFile(path: string, reading: ReadContext): boolean {
  return statOf(path, reading)?.isFile() ?? false
}

function statOf(path: string, reading?: ReadContext): Stats | undefined {
  let stat: Stats | undefined
  try {
    // Many of these files do not exist, and an exception takes longer than the call.
    stat = statSync(path, { throwIfNoEntry: false })
  } catch {
    // Cannot be reached: the same as missing.
  }
  if (!stat) reading?.onFolder?.(path, 0)
  return stat
}

/** All regular files below a folder, as paths relative to `root`, with forward slashes. Links are not followed. */
export function* pathsBelow(root: string, folder: string, reading: ReadContext): Generator<string | Problem> {
  for (const entry of listFolder(join(root, folder), reading)) {
    if (isProblem(entry)) yield entry
    else if (entry.isDirectory()) yield* pathsBelow(root, `${folder}/${entry.name}`, reading)
    else if (entry.isFile()) yield `${folder}/${entry.name}`
  }
}
