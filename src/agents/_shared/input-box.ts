import type { ScreenRow } from '../screen.ts'

/** How an agent draws the place that messages are typed into. */
export interface InputBox {
  /** The row above it, where there is one. */
  readonly top?: RegExp
  /** What precedes the text in its first row. */
  readonly prompt: RegExp
  /** That has no colour, unlike what looks the same in the conversation. */
  readonly isUncoloured?: true
  /** The row below it, where there is one; else it ends with a blank row. */
  readonly bottom?: RegExp
  /** Every other row below it: under a message in the conversation, which may look the same, there is more. */
  readonly below: RegExp
  /** What an empty one shows, where that is drawn like typed text. */
  readonly placeholder?: RegExp
}

/** The text in the box, as far as it is visible; undefined when the screen shows no box. */
export function readInputBox(rows: readonly ScreenRow[], box: InputBox): string | undefined {
  const found = findBox(rows, box)
  if (!found) return undefined
  const { start, end } = found
  const indent = box.prompt.exec(rows[start]!.text)![0].length
  const typed = [rows[start]!.vivid.slice(indent), ...rows.slice(start + 1, end).map(({ vivid }) => vivid)]
  const text = typed
    .map((row) => row.trim())
    .join('\n')
    .trim()
  return box.placeholder?.test(text) ? '' : text
}

/** The conversation: all rows above the box, or every row if the screen shows no box. */
export function rowsAboveBox(rows: readonly ScreenRow[], box: InputBox): readonly ScreenRow[] {
  const found = findBox(rows, box)
  return found ? rows.slice(0, found.start - (box.top ? 1 : 0)) : rows
}

/** Its first row, and the one after its last. */
function findBox(
  rows: readonly ScreenRow[],
  { top, prompt, isUncoloured, bottom, below }: InputBox,
): { readonly start: number; readonly end: number } | undefined {
  const start = rows.findLastIndex(
    ({ text, colour }, at) =>
      prompt.test(text) &&
      !(isUncoloured && colour !== undefined) &&
      (!top || (at > 0 && top.test(rows[at - 1]!.text))),
  )
  if (start < 0) return undefined
  const isEnd = ({ text }: ScreenRow): boolean => (bottom ? bottom.test(text) : text.trim() === '')
  const length = rows.slice(start + 1).findIndex(isEnd)
  if (length < 0 && bottom) return undefined
  const end = length < 0 ? rows.length : start + 1 + length
  const rest = rows.slice(bottom ? end + 1 : end)
  return rest.some(({ text }) => text.trim() !== '' && !below.test(text)) ? undefined : { start, end }
}
