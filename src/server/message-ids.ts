/** Which number each message has, by its key; what was given once is never given to another. */
export interface IdBook {
  readonly next: number
  readonly ids: Readonly<Record<string, number>>
}

/**
 * Gives messages their numbers: integers that grow along the conversation and over time. A message keeps its number at
 * each later reading. Where a rewritten transcript puts something before it, it gets a new one, since order counts more.
 */
export class MessageIds {
  readonly #ids: Map<string, number>
  #next: number

  /** `from`: the first number that may be given. */
  constructor(book: IdBook = { next: 0, ids: {} }, from = 0) {
    this.#ids = new Map(Object.entries(book.ids))
    this.#next = Math.max(book.next, from)
  }

  /** The numbers of these messages, which stand in this order, all above `floor`. */
  assign(keys: readonly string[], floor = -1): number[] {
    let last = floor
    return keys.map((key) => {
      const known = this.#ids.get(key)
      last = known !== undefined && known > last ? known : this.#fresh(key, last)
      return last
    })
  }

  book(): IdBook {
    return { next: this.#next, ids: Object.fromEntries(this.#ids) }
  }

  #fresh(key: string, above: number): number {
    const id = Math.max(this.#next, above + 1)
    this.#next = id + 1
    this.#ids.set(key, id)
    return id
  }
}
