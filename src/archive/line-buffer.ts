/** So much is collected before it is written. */
const BATCH = 256 * 1024
/** A character takes at most so many bytes. */
const WIDEST = 3
const NEWLINE = 10

/** Room of a batch that was given back: new memory for each of many small logs costs more than filling it. */
let spare: Buffer | undefined

/** Lines on their way to the disk, as bytes in one piece of memory: a buffer for each would cost more than all else. */
export class LineBatch {
  #room: Buffer | undefined
  /** Up to here are lines that are to be written. */
  #kept = 0
  /** Up to here goes the line that was put last. */
  #end = 0

  /** All that was kept, good until the next line is put. */
  get lines(): Buffer {
    return this.#room?.subarray(0, this.#kept) ?? Buffer.alloc(0)
  }

  /** Whether there is enough in it to be worth writing. */
  get isFull(): boolean {
    return this.#kept > BATCH
  }

  /** Makes a line of its opening and its words, and gives the bytes of the words. It goes with the rest after `keep`. */
  put(opening: string, words: string): Buffer {
    const most = words.length > BATCH ? Buffer.byteLength(words) : words.length * WIDEST
    const room = this.#roomFor(opening.length + most + 1)
    const from = this.#kept + room.write(opening, this.#kept, 'latin1')
    this.#end = from + room.write(words, from)
    room[this.#end] = NEWLINE
    return room.subarray(from, this.#end++)
  }

  keep(): void {
    this.#kept = this.#end
  }

  /** After they were written. */
  clear(): void {
    this.#kept = this.#end = 0
  }

  close(): void {
    if (this.#room?.length === 2 * BATCH) spare = this.#room
    this.#room = undefined
  }

  #roomFor(bytes: number): Buffer {
    this.#room ??= spare ?? Buffer.allocUnsafe(2 * BATCH)
    spare = undefined
    if (this.#kept + bytes > this.#room.length) {
      const larger = Buffer.allocUnsafe(this.#kept + bytes)
      this.#room.copy(larger, 0, 0, this.#kept)
      this.#room = larger
    }
    return this.#room
  }
}
