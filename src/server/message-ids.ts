/** The id of each message, by its key. Written to the state file. */
export interface AssignedIds {
  readonly next: number
  readonly ids: Readonly<Record<string, number>>
}

/**
 * Numbers messages with integers that increase along the conversation and over time; an id is never reused. A message
 * keeps its id at each later reading, unless a rewritten transcript inserts something before it: order matters more.
 */
export class MessageIds {
  readonly #ids: Map<string, number>
  #next: number

  /** `from`: the first id that may be assigned. */
  constructor(assigned: AssignedIds = { next: 0, ids: {} }, from = 0) {
    this.#ids = new Map(Object.entries(assigned.ids))
    this.#next = Math.max(assigned.next, from)
  }

  /** The ids of these messages, in this order, all above `floor`. */
  assign(keys: readonly string[], floor = -1): number[] {
    let last = floor
    return keys.map((key) => {
      const known = this.#ids.get(key)
      last = known !== undefined && known > last ? known : this.#create(key, last)
      return last
    })
  }

  /** From now on the message has another key, and the same id. */
  rename(from: string, to: string): void {
    const id = this.#ids.get(from)
    if (id === undefined || this.#ids.has(to)) return
    this.#ids.delete(from)
    this.#ids.set(to, id)
  }

  assigned(): AssignedIds {
    return { next: this.#next, ids: Object.fromEntries(this.#ids) }
  }

  #create(key: string, above: number): number {
    const id = Math.max(this.#next, above + 1)
    this.#next = id + 1
    this.#ids.set(key, id)
    return id
  }
}
