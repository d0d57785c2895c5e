/** What takes less needs no rest. */
const SHORT_MS = 5

/** Keeps what takes long from being done without end: it rests for a multiple of the time that it took. */
export class Pace {
  readonly #until = new Map<string, number>()

  /** Milliseconds until it may be done again; 0 when it may be done now. */
  left(key: string): number {
    const left = (this.#until.get(key) ?? 0) - performance.now()
    if (left > 0) return left
    this.#until.delete(key)
    return 0
  }

  rest(key: string, ms: number): void {
    this.#until.set(key, performance.now() + ms)
  }

  /** What took so long rests that many times as long. */
  restAfter(key: string, ms: number, times: number): void {
    if (ms > SHORT_MS && this.left(key) === 0) this.rest(key, times * ms)
  }

  /** Everything may be done now. */
  wake(): void {
    this.#until.clear()
  }
}
