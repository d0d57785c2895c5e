import { IonError, messageOf } from '../platform/error.ts'
import { type Database, isDamaged, isDiskTrouble } from '../platform/sqlite.ts'
import { connect, fileAt, isWorthReopening, MAX_TRIES, rebuild, UnusableIndex } from './connection.ts'
import { IN_MEMORY } from './index-file.ts'

/** Where to continue with an empty index in memory: nowhere, where the disk is full or may not be written, or anywhere. */
export type InMemory = 'never' | 'unwritable' | 'always'

/** A connection to the index that rebuilds it if damage is found while it is in use. */
export class SelfHealingConnection {
  readonly #inMemory: InMemory
  #path: string
  onNotice: (line: string) => void
  #database: Database
  #file: string | undefined
  #isClosed = false
  #unusable: UnusableIndex | undefined

  constructor(path: string, onNotice: (line: string) => void, inMemory: InMemory = 'never') {
    this.#path = path
    this.#inMemory = inMemory
    this.onNotice = onNotice
    this.#database = this.#connected(() => connect(path, onNotice))
    this.#file = fileAt(this.#path)
  }

  /** Why the index is in memory although it should be on disk; undefined if it is on disk. */
  get unusable(): UnusableIndex | undefined {
    return this.#unusable
  }

  get isOnDisk(): boolean {
    return this.#path !== IN_MEMORY
  }

  /** Does the work; if damage is found, again on a new index, after `repopulate` has filled it. */
  run<T>(work: (database: Database) => T, repopulate: () => void = () => {}): T {
    for (let failures = 0; ; failures++) {
      try {
        if (failures > 0) repopulate()
        return work(this.#opened())
      } catch (error) {
        this.#recover(error, failures)
      }
    }
  }

  /** The same for work in steps. Steps yielded before the damage was found are not repeated. */
  *steps<T, R>(work: (database: Database) => Generator<T, R>, repopulate: () => void = () => {}): Generator<T, R> {
    let yielded = 0
    for (let failures = 0; ; failures++) {
      try {
        if (failures > 0) repopulate()
        return yield* after(yielded, work(this.#opened()), () => yielded++)
      } catch (error) {
        this.#recover(error, failures)
      }
    }
  }

  close(): void {
    this.#isClosed = true
    this.#database.close()
  }

  #opened(): Database {
    if (this.#isClosed) throw new IonError('failed', 'the index was closed')
    return this.#database
  }

  /** Reopens or rebuilds the index before another try; throws if that would not help. */
  #recover(error: unknown, failures: number): void {
    // Deleted while it was in use: whatever failed, this is the cause.
    const isGone = fileAt(this.#path) !== this.#file
    const isLost = isGone || isDamaged(error)
    const isWorthRetrying = isLost ? failures < MAX_TRIES : isWorthReopening(error, failures)
    const canRetry = isWorthRetrying && this.#path !== IN_MEMORY && !this.#isClosed
    if (!canRetry && (!isDiskTrouble(error) || this.#isClosed)) throw error
    const lost = this.#database
    this.#database = this.#connected(() => {
      if (!canRetry) throw new UnusableIndex(this.#path, error)
      lost.close()
      if (!isLost) return connect(this.#path, this.onNotice)
      this.onNotice(`the index ${isGone ? 'was deleted' : 'is damaged'} (${messageOf(error)}); rebuilding it`)
      return rebuild(this.#path, this.#file)
    })
    if (!canRetry) lost.close()
    this.#file = fileAt(this.#path)
  }

  /** What `open` gives; one in memory if the disk cannot be used, with one line. */
  #connected(open: () => Database): Database {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof UnusableIndex) || this.#inMemory === 'never' || this.#path === IN_MEMORY) throw error
      if (error.isImpossible && this.#inMemory !== 'always') throw error
      this.onNotice(`${error.message}; reading all sessions into memory instead (${error.hint})`)
      this.#unusable = error
      this.#path = IN_MEMORY
      return connect(IN_MEMORY, this.onNotice)
    }
  }
}

/** The steps after the first `skipped`; the work is ended when the caller stops early. */
function* after<T, R>(skipped: number, steps: Generator<T, R>, onStep: () => void): Generator<T, R> {
  try {
    for (let n = 0; ; n++) {
      const step = steps.next()
      if (step.done) return step.value
      if (n < skipped) continue
      onStep()
      yield step.value
    }
  } finally {
    steps.return(undefined as R)
  }
}
