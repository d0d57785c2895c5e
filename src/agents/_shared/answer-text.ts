import type { ScreenAnswer, ScreenRow } from '../screen.ts'

/** How an agent draws its conversation: entries with a mark before the first row, and the other rows indented. */
interface AnswerMarks {
  /** Before the first row of what the agent says. */
  readonly mark: RegExp
  /** Before its other rows. */
  readonly indent: RegExp
  /** Before what the user said: what is above it belongs to an earlier turn. */
  readonly prompt: RegExp
  /** The output of a tool: what is above it up to a blank row is the call, even if it has the mark of a text. */
  readonly output?: RegExp
  /** A row that begins something else, although it has the mark of a text or its indentation: a call, a notice. */
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
    const said = trimmed(open?.rows.slice(0, open.said) ?? [])
    if (open && said.length > 0) last = { rows: said, begins: open.begins }
    open = undefined
  }
  for (const row of rows) {
    const isFaint = row.vivid.trim() === ''
    const isSaid = !isOther?.(row)
    const marked = isSaid && mark.exec(row.text)
    if (output?.test(row.text)) {
      if (open) open.said = open.rows.lastIndexOf('') + 1
      close()
    } else if (marked && !isFaint) {
      close()
      open = { rows: [row.text.slice(marked[0].length).trimEnd()], said: 1, begins: true }
    } else if (row.text.trim() === '') open?.rows.push('')
    else if (isSaid && indent.test(row.text)) {
      open?.rows.push(row.text.replace(indent, '').trimEnd())
      if (open && !isFaint) open.said = open.rows.length
    } else {
      close()
      // One that waits for its turn is faint.
      if (!isFaint && prompt.test(row.text)) last = undefined
    }
  }
  close()
  return last
}

/** Without blank rows around it. */
export function trimmed(rows: readonly string[]): readonly string[] {
  const from = rows.findIndex((row) => row !== '')
  return from < 0 ? [] : rows.slice(from, rows.findLastIndex((row) => row !== '') + 1)
}
