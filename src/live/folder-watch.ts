import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { stampOf } from '../native/walk.ts'
import { isMissing } from '../platform/error.ts'

/** `appeared`: something of that name was created, removed or replaced. `changed`: its content changed. */
export type OnChange = (path: string, kind: 'appeared' | 'changed') => void

export type WatchFolder = (
  folder: string,
  onChange: (kind: string, name: string | null) => void,
) => Pick<FSWatcher, 'on' | 'close'>

/** Does not keep the process alive. */
export const watchInBackground: WatchFolder = (folder, onChange) => watch(folder, { persistent: false }, onChange)

interface Watched {
  readonly number: number
  readonly watcher: Pick<FSWatcher, 'close'>
  readonly ino: number
  readonly dev: number
  /** It may be another folder by now, even with the same inode number: file systems reuse those of deleted folders. */
  isDoubtful: boolean
}

/**
 * Watches single folders, not what is below them: one watch of the system for each, however many files are in it. Some file
 * systems report nothing, and the system limits the number of watches, so callers also look from time to time.
 */
export class FolderWatch {
  readonly #onChange: OnChange
  readonly #watchFolder: WatchFolder
  readonly #watched = new Map<string, Watched>()
  #last = 0
  /** Existing folders that the system would not watch. */
  readonly refused = new Set<string>()

  constructor(onChange: OnChange, watchFolder: WatchFolder = watch) {
    this.#onChange = onChange
    this.#watchFolder = watchFolder
  }

  get size(): number {
    return this.#watched.size
  }

  /**
   * Returns the number of the folder's watch, undefined when it has none. A caller that knew another number, or none, has
   * missed what happened in the folder until now.
   */
  ensure(folder: string): number | undefined {
    const stamp = stampOf(folder)
    const known = this.#watched.get(folder)
    if (known && stamp && !known.isDoubtful && stamp.ino === known.ino && stamp.dev === known.dev) return known.number
    this.drop(folder)
    if (!stamp) return undefined
    try {
      const watcher = this.#watchFolder(folder, (kind, name) => this.#onFsEvent(folder, kind, name))
      // Where deleting a watched folder is an error, it is handled like any other removal.
      watcher.on('error', () => this.#onFsEvent(folder, 'rename', basename(folder)))
      this.#watched.set(folder, { number: ++this.#last, watcher, ino: stamp.ino, dev: stamp.dev, isDoubtful: false })
      return this.#last
    } catch (error) {
      if (!isMissing(error)) this.refused.add(folder)
      return undefined
    }
  }

  /** Watches these folders and no others. Folders that do not exist yet are tried again at the next call. */
  set(folders: Iterable<string>): void {
    const wanted = new Set(folders)
    for (const folder of [...this.#watched.keys()]) if (!wanted.has(folder)) this.drop(folder)
    for (const folder of wanted) this.ensure(folder)
  }

  drop(folder: string): void {
    this.#watched.get(folder)?.watcher.close()
    this.#watched.delete(folder)
    this.refused.delete(folder)
  }

  close(): void {
    for (const { watcher } of this.#watched.values()) watcher.close()
    this.#watched.clear()
  }

  #onFsEvent(folder: string, kind: string, name: string | null): void {
    // A folder reports its own removal under its own name.
    if (kind === 'rename' && (name === null || name === basename(folder))) this.#doubt(folder)
    const path = join(folder, name ?? '')
    if (kind === 'rename') this.#doubt(path)
    this.#onChange(name === null ? folder : path, kind === 'rename' ? 'appeared' : 'changed')
  }

  #doubt(folder: string): void {
    const known = this.#watched.get(folder)
    if (known) known.isDoubtful = true
  }
}

/**
 * A folder and those above it, any of which may be moved away or created later: up to `top`, or for a folder that is not
 * below `top`, up to the second that exists. Higher folders are shared by all programs, and too noisy.
 */
export function withParents(folder: string, top: string): string[] {
  const parents: string[] = []
  const isBelow = folder === top || folder.startsWith(`${top}${sep}`)
  let existing = 0
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    parents.push(at)
    if (isBelow ? at === top : at !== folder && stampOf(at) && ++existing === 2) break
  }
  return parents
}
