import { plain } from '../platform/plain-text.ts'

/** Moves of the cursor to another line, and what wipes the screen: on paper these are line breaks. */
const NEW_LINE = /\x1b\[[0-9;]*[ABEFHdfJ]|\x1b\[[01]?G|\x1b[DEM]|\x1b\[\?1049[hl]|\r*\n|\r/g
/** A move to a place. Within the line that is drawn just now it is a gap. */
const PLACE = /^\x1b\[(\d*);(\d+)[Hf]$/
/** Moves to the right are blanks; how many there are up to a column nobody knows here. */
const BLANKS = /\x1b\[(?:(\d{0,3})C|\d+G)/g
/** The beginning of a sequence whose end has not come yet. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]{0,4096}\x1b?|[ -/]*)?$/
/** A program that draws a screen prints the same lines again and again. */
const REMEMBERED = 400

/** What went over a terminal as text to read: a stream in, lines out; a line that was there a moment ago is left out. */
export class LogText {
  #rest = ''
  /** The row that the cursor was put in; undefined when it has left it since. */
  #row: string | undefined
  readonly #seen: string[] = []

  /** Whole lines, each with its end. */
  push(text: string): string {
    const all = this.#rest + text
    const cut = UNFINISHED.exec(all.slice(-8192))
    const sure = cut ? all.slice(0, all.length - cut[0].length) : all
    const broken = sure
      .replace(NEW_LINE, (move) => this.#broken(move))
      .replace(BLANKS, (_, count) => ' '.repeat(Number(count || 1)))
    const last = broken.lastIndexOf('\n')
    this.#rest = broken.slice(last + 1) + (cut?.[0] ?? '')
    return last < 0 ? '' : this.#lines(broken.slice(0, last))
  }

  /** What has no line end yet. */
  end(): string {
    const rest = this.#rest
    this.#rest = ''
    return this.#lines(rest)
  }

  #broken(move: string): string {
    const row = PLACE.exec(move)?.[1]
    const isSame = row !== undefined && row === this.#row
    this.#row = row
    return isSame ? ' ' : '\n'
  }

  #lines(text: string): string {
    let out = ''
    for (const raw of text.split('\n')) {
      const line = plain(raw).replaceAll('\n', '').trimEnd()
      const key = line.trim()
      if (key === '' || this.#seen.includes(key)) continue
      this.#seen.push(key)
      if (this.#seen.length > REMEMBERED) this.#seen.shift()
      out += `${line}\n`
    }
    return out
  }
}
