/** A thing as it is now, and when it last changed. */
export interface Change<T> {
  /** Grows with every change of anything. */
  readonly seq: number
  readonly key: string
  readonly value: T
}

/**
 * What changed, in order, without keeping what it was before: somebody who was away for a while gets each thing once, as
 * it is now. So nothing is kept per reader but a number, however slow the reader is.
 */
export class ChangeLog<T> {
  readonly #current = new Map<string, Change<T>>()
  #changes: Change<T>[] = []
  #seq = 0

  /** The number of the last change; 0 when there was none. */
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

  /** The first thing that changed after `seq`, as it is now; undefined when nothing did. */
  next(seq: number): Change<T> | undefined {
    for (let at = this.#placeAfter(seq); at < this.#changes.length; at++) {
      const change = this.#changes[at]!
      if (this.#current.get(change.key) === change) return change
    }
    return undefined
  }

  #placeAfter(seq: number): number {
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
