import { IonError, messageOf } from '../platform/error.ts'
import { type Database, isDamaged, isDiskTrouble } from '../platform/sqlite.ts'
import { connect, fileAt, IN_MEMORY, isWorthReopening, MAX_TRIES, rebuild, unusable } from './connection.ts'

/** A connection to the index that rebuilds it if damage is found while it is in use. */
export class SelfHealingConnection {
  readonly #path: string
  readonly #onNotice: (line: string) => void
  #database: Database
  #file: string | undefined
  #isClosed = false

  constructor(path: string, onNotice: (line: string) => void) {
    this.#path = path
    this.#onNotice = onNotice
    this.#database = connect(path, onNotice)
    this.#file = fileAt(path)
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
    if (!canRetry) throw isDiskTrouble(error) ? unusable(this.#path, error) : error
    this.#database.close()
    if (isLost) {
      this.#onNotice(`the index ${isGone ? 'was deleted' : 'is damaged'} (${messageOf(error)}); rebuilding it`)
      this.#database = rebuild(this.#path, this.#file)
    } else this.#database = connect(this.#path, this.#onNotice)
    this.#file = fileAt(this.#path)
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
