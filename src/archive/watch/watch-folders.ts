import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { stampOf } from '../../native/walk.ts'
import { isMissing } from '../../platform/error.ts'

/** `appeared`: something of that name came, went or was put in place of another; otherwise its content changed. */
export type OnChange = (path: string, kind: 'appeared' | 'changed') => void

export type WatchFolder = (
  folder: string,
  onChange: (kind: string, name: string | null) => void,
) => Pick<FSWatcher, 'on' | 'close'>

interface Watched {
  readonly number: number
  readonly watcher: Pick<FSWatcher, 'close'>
  readonly ino: number
  readonly dev: number
  /** It may be another folder by now, even of the same number: systems give the number of a deleted one away again. */
  isDoubtful: boolean
}

/**
 * Listens to folders by themselves, not to what is below: one watch of the system each, however many files are in it.
 * A folder that is not there yet is the matter of the one above it.
 */
export class WatchedFolders {
  readonly #onChange: OnChange
  readonly #watchFolder: WatchFolder
  readonly #watched = new Map<string, Watched>()
  #last = 0
  /** Those that the system would not watch. */
  readonly refused = new Set<string>()

  constructor(onChange: OnChange, watchFolder: WatchFolder = watch) {
    this.#onChange = onChange
    this.#watchFolder = watchFolder
  }

  get size(): number {
    return this.#watched.size
  }

  /**
   * The number of its watch, undefined when it has none. Whoever knew another number or none was not told what happened
   * in it until now: another may have had it watched before.
   */
  ensure(folder: string): number | undefined {
    const stamp = stampOf(folder)
    const known = this.#watched.get(folder)
    if (known && stamp && !known.isDoubtful && stamp.ino === known.ino && stamp.dev === known.dev) return known.number
    this.drop(folder)
    if (!stamp) return undefined
    try {
      const watcher = this.#watchFolder(folder, (kind, name) => this.#heard(folder, kind, name))
      // It may be deleted at any time; where that is an error, it is looked at again like one that has gone.
      watcher.on('error', () => this.#heard(folder, 'rename', basename(folder)))
      this.#watched.set(folder, { number: ++this.#last, watcher, ino: stamp.ino, dev: stamp.dev, isDoubtful: false })
      return this.#last
    } catch (error) {
      if (!isMissing(error)) this.refused.add(folder)
      return undefined
    }
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

  #heard(folder: string, kind: string, name: string | null): void {
    // A folder tells its own end under its own name.
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
 * A folder and those above it, any of which may be moved away or come later: up to `top`, or where it is not below that,
 * the next two that are there. Folders that all programs share are noisy, and stay.
 */
export function withParents(folder: string, top: string): string[] {
  const parents: string[] = []
  const isBelow = folder === top || folder.startsWith(`${top}${sep}`)
  let there = 0
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    parents.push(at)
    if (isBelow ? at === top : at !== folder && stampOf(at) && ++there === 2) break
  }
  return parents
}
