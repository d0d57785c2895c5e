/** The longest that other work in the process waits for a turn of the event loop. */
const SLICE_MS = 8

/** Yields to the event loop when the current slice is used up. */
export class Pace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  constructor(signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    this.#signal = signal
  }

  /** Whether to await `turn` now. Separate from it, because awaiting nothing costs more than most steps. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}

/** The items of a synchronous iterable, yielding to the event loop in between. Leaving the loop early ends the iterable. */
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

/** Runs stepwise work to its end, yielding to the event loop in between, and returns its result. */
export async function finish<R>(steps: Iterator<unknown, R>, signal: AbortSignal | undefined): Promise<R> {
  const pace = new Pace(signal)
  try {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (pace.isDue) await pace.turn()
    }
  } catch (error) {
    // Aborted: lets the work close what it has open.
    steps.return?.()
    throw error
  }
}
