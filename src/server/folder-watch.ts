import { type FSWatcher, watch } from 'node:fs'

/** More folders than this are not watched: then the slow look has to do. */
const MOST_FOLDERS = 32

/** What looking itself changes: SQLite's shared memory, where a reader notes its lock, and the state that is saved after it. */
const OURS = /-shm$|\.tmp$|^agentapi-state\.json/

/** Tells that something changed in one of some folders. Not every file system tells: whoever needs it also looks by itself. */
export class FolderWatch {
  readonly #onChange: () => void
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** From now on these, and no others. One that is not there yet is tried again at the next call. */
  set(folders: Iterable<string>): void {
    const wanted = new Set([...folders].slice(0, MOST_FOLDERS))
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  close(): void {
    this.set([])
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || !OURS.test(name)) this.#onChange()
      })
      watcher.on('error', () => {
        watcher.close()
        this.#watchers.delete(folder)
      })
      this.#watchers.set(folder, watcher)
    } catch {
      // Not there yet, or no watches left.
    }
  }
}
