/** One server-sent event. Its text is made when it is first needed, and then kept for all who read it. */
export class Frame {
  readonly #event: string
  readonly #data: () => object
  #body: string | undefined

  constructor(event: string, data: () => object) {
    this.#event = event
    this.#data = data
  }

  /** With the id after which a reader that comes back goes on. The fields of an event may stand in any order. */
  text(id: number): string {
    this.#body ??= `event: ${this.#event}\ndata: ${JSON.stringify(this.#data())}\n`
    return `${this.#body}id: ${id}\n\n`
  }
}
