/** Other work of the process waits no longer than this for the library. */
const SLICE_MS = 8

/** Lets the rest of the process have a turn when its last one is long ago. */
export class Pace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  constructor(signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    this.#signal = signal
  }

  /** True when it is time to wait for `turn`; apart from it, since waiting for nothing costs more than most steps. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}

/** The items of a synchronous walk, with other work let in between. Leaving it early ends the walk. */
export async function* paced<T>(
  items: Iterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const pace = new Pace(signal)
  for (const item of items) {
    if (pace.isDue) await pace.turn()
    yield item
    signal?.throwIfAborted()
  }
}

/** Walks the steps of a piece of work to its end, and gives its result. */
export async function finish<R>(steps: Iterator<unknown, R>, signal: AbortSignal | undefined): Promise<R> {
  const pace = new Pace(signal)
  try {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (pace.isDue) await pace.turn()
    }
  } catch (error) {
    // Aborted: what the work has open must be closed.
    steps.return?.()
    throw error
  }
}
