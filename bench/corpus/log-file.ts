// Writes one session file, and counts.
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface FileTotals {
  files: number
  lines: number
  bytes: number
}

export class LogFile {
  readonly #path: string
  readonly #descriptor: number
  #waiting: string[] = []
  #characters = 0
  #lines = 0
  bytes = 0

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.#path = path
    this.#descriptor = openSync(path, 'w')
  }

  record(value: object): void {
    const line = `${JSON.stringify(value)}\n`
    this.#waiting.push(line)
    this.#characters += line.length
    this.#lines++
    this.bytes += Buffer.byteLength(line)
    if (this.#characters > 4e6) this.#flush()
  }

  /** The file gets the time of its last record, as a real one has. */
  close(time: number, ...totals: FileTotals[]): void {
    this.#flush()
    closeSync(this.#descriptor)
    utimesSync(this.#path, time / 1000, time / 1000)
    for (const total of totals) {
      total.files++
      total.lines += this.#lines
      total.bytes += this.bytes
    }
  }

  #flush(): void {
    if (this.#waiting.length) writeSync(this.#descriptor, this.#waiting.join(''))
    this.#waiting = []
    this.#characters = 0
  }
}
