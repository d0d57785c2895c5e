import type { ScreenAnswer } from '../agents/screen.ts'

/** Compared to find a text in the transcript: a screen shows Markdown rendered and wrapped, but these stay the same. */
const LETTERS = /[^\p{L}\p{N}]+/gu
/** So many letters at the beginning identify a text. */
const HEAD = 40
/** Shorter ones may be part of any text. */
const SHORT = 20
/** A row this close to the edge may have been wrapped there. */
const MARGIN = 8

/**
 * What the agent has said in this turn and not stored yet, put together from what its screen showed. Long texts scroll, so
 * each look adds what is new at the end.
 */
export class AnswerPreview {
  /** The rows of each text, from the oldest to the one that is being written. */
  #texts: (readonly string[])[] = []
  #shown: readonly string[] = []

  /** A turn begins, or has ended: what is still on the screen belongs to the past. */
  clear(): void {
    this.#texts = []
  }

  /** The screen shows this now. */
  show(answer: ScreenAnswer | undefined): void {
    if (!answer || isSameRows(answer.rows, this.#shown)) return
    this.#shown = answer.rows
    const last = this.#texts.at(-1)
    if (answer.begins) {
      // Drawn again from its beginning: what was half written looks different now.
      if (last && isSameBeginning(last, answer.rows)) this.#texts.pop()
      this.#texts.push(answer.rows)
    } else if (last) this.#texts.splice(-1, 1, continued(last, answer.rows) ?? last)
  }

  /** Everything that is not among the `stored` texts; undefined when there is nothing. `columns`: of the terminal. */
  text(stored: readonly string[], columns: number): string | undefined {
    const heads = stored.map(lettersOf)
    const left = this.#texts.filter((rows) => {
      const head = lettersOf(rows.join(' ')).slice(0, HEAD)
      // A screen that is drawn again may show a text from its middle on.
      const isIn = (text: string): boolean => (head.length < SHORT ? text.startsWith(head) : text.includes(head))
      return head !== '' && !heads.some(isIn)
    })
    return left.length === 0 ? undefined : left.map((rows) => unwrapped(rows, columns)).join('\n\n')
  }
}

/**
 * The rows seen so far with those that are new; undefined when nothing of `rows` was seen before. The first rows of the
 * text have scrolled away, and its last one may have been wrapped or rendered again.
 */
function continued(seen: readonly string[], rows: readonly string[]): readonly string[] | undefined {
  const settled = seen.slice(0, -1)
  const at = settled.findIndex((_, from) => {
    const overlap = settled.slice(from)
    return overlap.some((row) => row !== '') && overlap.every((row, index) => row === rows[index])
  })
  return at < 0 ? undefined : [...seen.slice(0, at), ...rows]
}

function isSameBeginning(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one, other].map((rows) => lettersOf(rows.join(' ')).slice(0, HEAD)) as [string, string]
  return a.startsWith(b) || b.startsWith(a)
}

function isSameRows(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((row, at) => row === other[at])
}

function lettersOf(text: string): string {
  return text.replace(LETTERS, '')
}

/** The lines before the terminal's edge wrapped them. */
function unwrapped(rows: readonly string[], columns: number): string {
  const lines: string[] = []
  rows.forEach((row, at) => {
    const before = rows[at - 1] ?? ''
    const [word = ''] = row.split(' ', 1)
    const isRest = /^[\p{L}\p{N}("'`]/u.test(row) && before.length + 1 + word.length > columns - MARGIN
    if (isRest) lines.push(`${lines.pop()} ${row}`)
    else lines.push(row)
  })
  return lines.join('\n')
}
