/** The current value of a key, and when it last changed. */
export interface Change<T> {
  /** Increases with every change of any key. */
  readonly seq: number
  readonly key: string
  readonly value: T
}

/**
 * Changes in order, without earlier values: a reader that was away gets each changed key once, with its current value. So
 * a reader costs one number, however slow it is.
 */
export class ChangeLog<T> {
  readonly #current = new Map<string, Change<T>>()
  #changes: Change<T>[] = []
  #seq = 0

  /** The number of the last change; 0 before the first. */
  get seq(): number {
    return this.#seq
  }

  get(key: string): T | undefined {
    return this.#current.get(key)?.value
  }

  put(key: string, value: T): void {
    const change = { seq: ++this.#seq, key, value }
    this.#current.set(key, change)
    this.#changes.push(change)
    if (this.#changes.length > 64 + 2 * this.#current.size) this.#compact()
  }

  delete(key: string): void {
    this.#current.delete(key)
  }

  /** The first key that changed after `seq`, with its current value; undefined if none did. */
  next(seq: number): Change<T> | undefined {
    for (let index = this.#indexAfter(seq); index < this.#changes.length; index++) {
      const change = this.#changes[index]!
      if (this.#current.get(change.key) === change) return change
    }
    return undefined
  }

  #indexAfter(seq: number): number {
    let [low, high] = [0, this.#changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#changes[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  #compact(): void {
    this.#changes = this.#changes.filter((change) => this.#current.get(change.key) === change)
  }
}
