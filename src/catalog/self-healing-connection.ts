import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { catalogPath, connect, fileAt, isDamage, isDiskTrouble, rebuild, unusable } from './connection.ts'

/** A connection to the catalogue that is made anew when damage is found in the middle of work. */
export class SelfHealingConnection {
  readonly #io: Io
  readonly #onNotice: (line: string) => void
  #database: Database
  #file: string | undefined

  constructor(io: Io, onNotice: (line: string) => void) {
    this.#io = io
    this.#onNotice = onNotice
    this.#database = connect(io, onNotice)
    this.#file = fileAt(catalogPath(io))
  }

  /** Does the work; where damage is found, once more on a new catalogue, after `refill` has put something into it. */
  run<T>(work: (database: Database) => T, refill: () => void = () => {}): T {
    try {
      return work(this.#database)
    } catch (error) {
      this.#replace(error)
      refill()
      return work(this.#database)
    }
  }

  /** The same for work in steps. What was given before the damage was found is not given again. */
  *steps<T, R>(work: (database: Database) => Generator<T, R>, refill: () => void = () => {}): Generator<T, R> {
    let given = 0
    try {
      return yield* after(0, work(this.#database), () => given++)
    } catch (error) {
      this.#replace(error)
      refill()
      return yield* after(given, work(this.#database))
    }
  }

  close(): void {
    this.#database.close()
  }

  #replace(error: unknown): void {
    const path = catalogPath(this.#io)
    // Deleted while it was in use: whatever went wrong, it comes from that.
    const isGone = fileAt(path) !== this.#file
    if (!isDamage(error) && !isGone) throw isDiskTrouble(error) ? unusable(path, error) : error
    this.#database.close()
    this.#onNotice(`the catalogue is ${isGone ? 'gone' : 'damaged'} (${messageOf(error)}); building it again`)
    this.#database = rebuild(path, this.#file)
    this.#file = fileAt(path)
  }
}

/** The steps without the first `skipped` of them; ended when it is left. */
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
