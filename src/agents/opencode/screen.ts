import type { ScreenRow } from '../screen.ts'

/** At the left of everything but the agent's own text: prompts, output of tools, the input box and questions. */
export const BAR = '┃'
/** In a conversation. Before one begins, the input box is in the middle. */
export const BAR_COLUMN = 2

/** The panel beside a conversation, in a terminal that has more columns than this; its edge has blanks on both sides. */
const PANEL = { moreThan: 120, width: 42, blanks: 2 }
const DIALOG_WIDTHS = [60, 88, 116]
const PLACEHOLDER = /^(?:Ask anything|Run a command)(?:…|\.{3}) "/

/**
 * What the box holds, faint or not: themes differ in that. In shell mode it begins with the `!` that was typed: such a box
 * is not empty, and would run a message as a command.
 */
export function readInput(rows: readonly ScreenRow[]): string | undefined {
  if (dialogTitle(rows) !== undefined) return undefined
  const lines = withoutPanel(rows).map(({ text }) => text)
  const bottom = bottomOf(lines)
  if (bottom < 0) return undefined
  const [left, right] = [lines[bottom]!.indexOf('╹'), lines[bottom]!.lastIndexOf('▀')]
  // What completes a word is listed right above the box, with lines on both sides.
  const isBox = (line: string): boolean => line[left] === BAR && line[right] !== BAR
  const top = lines.slice(0, bottom).findLastIndex((line) => !isBox(line)) + 1
  const box = lines.slice(top, bottom).map((line) => line.slice(left + 1).trim())
  // A blank row, the text, another blank row, and the mode with the model. What is asked is below a box in the conversation.
  if (box.length < 4 || box[0] !== '' || lines.slice(bottom).some((line) => line.trimStart().startsWith(BAR)))
    return undefined
  const text = box.slice(1, -2).join('\n').trim()
  return (box.at(-1) === 'Shell' ? '!' : '') + (PLACEHOLDER.test(text) ? '' : text)
}

/** ` ■■⬝⬝⬝⬝⬝⬝  esc interrupt`, below the box. Parts of the screen are drawn again long after a turn. */
export function isWorking(rows: readonly ScreenRow[]): boolean {
  const lines = withoutPanel(rows).map(({ text }) => text)
  const bottom = bottomOf(lines)
  return bottom >= 0 && lines.slice(bottom).some((line) => /\besc (?:again to )?interrupt\b/.test(line))
}

/** Of the dialog in front of everything: those are in the middle, and have the key that closes them at the right. */
export function dialogTitle(rows: readonly ScreenRow[]): string | undefined {
  const columns = columnsOf(rows)
  const edges = DIALOG_WIDTHS.flatMap((width) => {
    const inside = Math.min(width, columns - 2)
    const left = (columns - inside) / 2
    return [Math.floor(left), Math.ceil(left)].map((from) => [from, from + inside] as const)
  })
  const titles = rows.flatMap(({ text }) =>
    edges.map((edge) => /^ {2,4}(\S.*?) {2,}esc {2,4}$/.exec(text.slice(...edge))?.[1]),
  )
  return titles.find((title) => title !== undefined)
}

/** The conversation, without the panel beside it. */
export function withoutPanel(rows: readonly ScreenRow[]): readonly ScreenRow[] {
  const columns = columnsOf(rows)
  const edge = columns - PANEL.width
  const isBlank = ({ text }: ScreenRow): boolean => text.slice(edge - PANEL.blanks, edge + PANEL.blanks).trim() === ''
  return columns > PANEL.moreThan && rows.every(isBlank) ? rows.map((row) => slicedRow(row, 0, edge)) : rows
}

/** Some columns of a row, without blanks at the end. */
export function slicedRow({ text, vivid, highlighted }: ScreenRow, from: number, to?: number): ScreenRow {
  const sliced = (line: string): string => line.slice(from, to).trimEnd()
  return {
    text: sliced(text),
    vivid: sliced(vivid),
    ...(highlighted === undefined ? {} : { highlighted: sliced(highlighted) }),
  }
}

/** The lower edge of the box. */
function bottomOf(lines: readonly string[]): number {
  return lines.findLastIndex((line) => /^ *╹▀{20,} *$/.test(line))
}

function columnsOf(rows: readonly ScreenRow[]): number {
  return Math.max(0, ...rows.map(({ text }) => text.length))
}
