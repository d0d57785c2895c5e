const NEWLINE = 10

/** Lines out of pieces that end anywhere. */
export class LineSplitter {
  readonly #limit: number
  #waiting: Buffer[] = []
  #size = 0

  /** `limit`: the longest line, in bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that are whole with this piece. */
  add(piece: Buffer): string[] {
    const end = piece.lastIndexOf(NEWLINE)
    const whole = end < 0 ? undefined : Buffer.concat([...this.#waiting, piece.subarray(0, end)])
    if (whole) this.#waiting = []
    this.#waiting.push(Buffer.from(piece.subarray(end + 1)))
    this.#size = (whole ? 0 : this.#size) + piece.length - end - 1
    if (this.#size > this.#limit) throw new Error('a line is too long')
    return whole ? whole.toString('utf8').split('\n') : []
  }

  /** Whether something stands after the last line break. */
  get isWithinLine(): boolean {
    return this.#size > 0
  }
}
