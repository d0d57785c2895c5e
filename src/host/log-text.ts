import { plain } from '../platform/plain-text.ts'

/** Cursor moves to another line and clearing the screen: in text these are line breaks. */
const NEW_LINE = /\x1b\[[0-9;]*[ABEFHdfJ]|\x1b\[[01]?G|\x1b[DEM]|\x1b\[\?1049[hl]|\r*\n|\r/g
/** A move to a position. Within the line that is being drawn it is a gap. */
const POSITION = /^\x1b\[(\d*);(\d+)[Hf]$/
/** Moves to the right are blanks; the number up to a column is not known here. */
const BLANKS = /\x1b\[(?:(\d{0,3})C|\d+G)/g
/** The beginning of a sequence that is not complete yet. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]{0,4096}\x1b?|[ -/]*)?$/
/** Recent lines; a program that draws a screen prints the same ones over and over. */
const REMEMBERED = 400

/** Turns terminal output into readable lines; a line that was printed a moment ago is skipped. */
export class LogText {
  #rest = ''
  /** The row that the cursor was moved to; undefined after it has left it. */
  #row: string | undefined
  readonly #seen: string[] = []

  /** Complete lines, with their line ends. */
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

  /** The rest, which has no line end. */
  end(): string {
    const rest = this.#rest
    this.#rest = ''
    return this.#lines(rest)
  }

  #broken(move: string): string {
    const row = POSITION.exec(move)?.[1]
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
