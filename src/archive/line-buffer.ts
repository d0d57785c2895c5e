/** How much is collected before it is written. */
const BATCH = 256 * 1024
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3
const NEWLINE = 10

/** Memory of a buffer that was closed: allocating it for each of many small logs takes longer than filling it. */
let spare: Buffer | undefined

/** Lines to be written, as bytes in one piece of memory: a buffer for each would cost more than everything else. */
export class LineBuffer {
  #buffer: Buffer | undefined
  /** End of the lines that will be written. */
  #kept = 0
  /** End of the line that was put last. */
  #end = 0

  /** The lines that were kept; valid until the next `put`. */
  get lines(): Buffer {
    return this.#buffer?.subarray(0, this.#kept) ?? Buffer.alloc(0)
  }

  /** Whether there is enough to be worth writing. */
  get isFull(): boolean {
    return this.#kept > BATCH
  }

  /** Adds a line and returns the bytes of its payload. Unless `keep` follows, the next `put` replaces the line. */
  put(prefix: string, payload: string): Buffer {
    const most = payload.length > BATCH ? Buffer.byteLength(payload) : payload.length * MAX_BYTES_PER_UNIT
    const buffer = this.#reserve(prefix.length + most + 1)
    const from = this.#kept + buffer.write(prefix, this.#kept, 'latin1')
    this.#end = from + buffer.write(payload, from)
    buffer[this.#end] = NEWLINE
    return buffer.subarray(from, this.#end++)
  }

  keep(): void {
    this.#kept = this.#end
  }

  /** The lines were written. */
  clear(): void {
    this.#kept = this.#end = 0
  }

  close(): void {
    if (this.#buffer?.length === 2 * BATCH) spare = this.#buffer
    this.#buffer = undefined
  }

  #reserve(bytes: number): Buffer {
    this.#buffer ??= spare ?? Buffer.allocUnsafe(2 * BATCH)
    spare = undefined
    if (this.#kept + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(this.#kept + bytes)
      this.#buffer.copy(larger, 0, 0, this.#kept)
      this.#buffer = larger
    }
    return this.#buffer
  }
}
