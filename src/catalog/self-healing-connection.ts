import { IonError, messageOf } from '../platform/error.ts'
import { type Database, isDamaged, isDiskTrouble } from '../platform/sqlite.ts'
import { connect, fileAt, IN_MEMORY, rebuild, unusable } from './connection.ts'

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
    try {
      return work(this.#opened())
    } catch (error) {
      this.#replace(error)
      repopulate()
      return work(this.#database)
    }
  }

  /** The same for work in steps. Steps yielded before the damage was found are not repeated. */
  *steps<T, R>(work: (database: Database) => Generator<T, R>, repopulate: () => void = () => {}): Generator<T, R> {
    let yielded = 0
    try {
      return yield* after(0, work(this.#opened()), () => yielded++)
    } catch (error) {
      this.#replace(error)
      repopulate()
      return yield* after(yielded, work(this.#database))
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

  #replace(error: unknown): void {
    // Deleted while it was in use: whatever failed, this is the cause.
    const isGone = fileAt(this.#path) !== this.#file
    const canRebuild = (isDamaged(error) || isGone) && this.#path !== IN_MEMORY && !this.#isClosed
    if (!canRebuild) throw isDiskTrouble(error) ? unusable(this.#path, error) : error
    this.#database.close()
    this.#onNotice(`the index ${isGone ? 'was deleted' : 'is damaged'} (${messageOf(error)}); rebuilding it`)
    this.#database = rebuild(this.#path, this.#file)
    this.#file = fileAt(this.#path)
  }
}

/** The steps after the first `skipped`; the work is ended when the caller stops early. */
function* after<T, R>(skipped: number, steps: Generator<T, R>, onStep: () => void = () => {}): Generator<T, R> {
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
