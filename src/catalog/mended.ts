import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Database } from '../platform/sqlite.ts'
import { catalogPath, connect, discard, isDamage } from './connection.ts'

/** A connection to the catalogue that is made anew when damage is found in the middle of work. */
export class MendedConnection {
  readonly #io: Io
  readonly #onNotice: (line: string) => void
  #database: Database

  constructor(io: Io, onNotice: (line: string) => void) {
    this.#io = io
    this.#onNotice = onNotice
    this.#database = connect(io, onNotice)
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
    if (!isDamage(error)) throw error
    this.#database.close()
    discard(catalogPath(this.#io))
    this.#onNotice(`the catalogue is damaged (${messageOf(error)}); building it again`)
    this.#database = connect(this.#io, this.#onNotice)
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
