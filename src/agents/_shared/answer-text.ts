import type { ScreenAnswer, ScreenRow } from '../screen.ts'

/** How an agent draws its conversation: entries with a mark before the first row, and the other rows indented. */
interface AnswerMarks {
  /** Before the first row of what the agent says. */
  readonly mark: RegExp
  /** Before its other rows. */
  readonly indent: RegExp
  /** Before what the user said: what is above it belongs to an earlier turn. */
  readonly prompt: RegExp
  /** The output of a tool: the entry above it is the call, even if it has the mark of a text. */
  readonly output?: RegExp
  /** An entry with the mark of a text that is something else: a call, a notice. */
  readonly isOther?: (row: ScreenRow) => boolean
}

/** Rows of an entry. */
interface Entry {
  readonly rows: string[]
  /** So many of them are said: faint rows at its end are hints, those before may be the border of a table or a comment. */
  said: number
  readonly begins: boolean
}

/** The last entry that the agent itself says, as far as it is visible. */
export function readAnswerText(
  rows: readonly ScreenRow[],
  { mark, indent, prompt, output, isOther }: AnswerMarks,
): ScreenAnswer | undefined {
  let last: ScreenAnswer | undefined
  // At the top there may be the rest of one that has scrolled away.
  let open: Entry | undefined = { rows: [], said: 0, begins: false }
  const close = (): void => {
    const said = open?.rows.slice(0, open.said) ?? []
    const from = said.findIndex((row) => row !== '')
    if (open && from >= 0) last = { rows: said.slice(from), begins: open.begins }
    open = undefined
  }
  for (const row of rows) {
    const isFaint = row.vivid.trim() === ''
    const marked = isOther?.(row) ? null : mark.exec(row.text)
    if (output?.test(row.text)) open = undefined
    else if (marked && !isFaint) {
      close()
      open = { rows: [row.text.slice(marked[0].length).trimEnd()], said: 1, begins: true }
    } else if (row.text.trim() === '') open?.rows.push('')
    else if (indent.test(row.text)) {
      open?.rows.push(row.text.replace(indent, '').trimEnd())
      if (open && !isFaint) open.said = open.rows.length
    } else {
      close()
      if (prompt.test(row.text)) last = undefined
    }
  }
  close()
  return last
}
