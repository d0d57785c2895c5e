const NEWLINE = 10

/** Splits pieces that end anywhere into lines. */
export class LineSplitter {
  readonly #limit: number
  #pending: Buffer[] = []
  #size = 0

  /** `limit`: the maximum length of a line, in bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that this piece completes. */
  add(piece: Buffer): string[] {
    const end = piece.lastIndexOf(NEWLINE)
    const complete = end < 0 ? undefined : Buffer.concat([...this.#pending, piece.subarray(0, end)])
    if (complete) this.#pending = []
    this.#pending.push(Buffer.from(piece.subarray(end + 1)))
    this.#size = (complete ? 0 : this.#size) + piece.length - end - 1
    if (this.#size > this.#limit) throw new Error('a line is too long')
    return complete ? complete.toString('utf8').split('\n') : []
  }

  /** Whether the input so far ends in the middle of a line. */
  get isMidLine(): boolean {
    return this.#size > 0
  }
}
