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
}

/** The last entry that the agent itself says, as far as it is visible. */
export function readAnswerText(
  rows: readonly ScreenRow[],
  { mark, indent, prompt, output }: AnswerMarks,
): ScreenAnswer | undefined {
  let last: ScreenAnswer | undefined
  // At the top there may be the rest of one that has scrolled away.
  let open: { readonly rows: string[]; readonly begins: boolean } | undefined = { rows: [], begins: false }
  const close = (): void => {
    if (open?.rows.some((row) => row !== '')) last = { rows: trimmed(open.rows), begins: open.begins }
    open = undefined
  }
  for (const { text, vivid } of rows) {
    const marked = mark.exec(text)
    if (output?.test(text)) open = undefined
    else if (marked) {
      close()
      open = { rows: [text.slice(marked[0].length).trimEnd()], begins: true }
    } else if (text.trim() === '') open?.rows.push('')
    else if (indent.test(text) && vivid.trim() !== '') {
      // Faint rows are not said.
      open?.rows.push(text.replace(indent, '').trimEnd())
    } else {
      close()
      if (prompt.test(text)) last = undefined
    }
  }
  close()
  return last
}

/** Without blank rows around it. */
export function trimmed(rows: readonly string[]): readonly string[] {
  const from = rows.findIndex((row) => row !== '')
  return rows.slice(from, rows.findLastIndex((row) => row !== '') + 1)
}
