import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless'
import type { ScreenRow } from '../agents/screen.ts'

/** The visible rows, as an agent's adapter reads them. */
export function screenRows(terminal: Terminal): ScreenRow[] {
  const { active } = terminal.buffer
  const rows: ScreenRow[] = []
  for (let row = 0; row < terminal.rows; row++) {
    const line = active.getLine(active.baseY + row)
    if (line) rows.push(screenRow(line, terminal.cols, active.getNullCell()))
  }
  return rows
}

/** After the terminal became narrower, a line still has the columns that were there before. */
function screenRow(line: IBufferLine, columns: number, reused: IBufferCell): ScreenRow {
  const text = line.translateToString(true, 0, columns)
  let vivid = ''
  let highlighted = ''
  let isCursor = false
  for (let column = 0; column < Math.min(columns, line.length); column++) {
    const cell = line.getCell(column, reused)
    if (!cell || cell.getWidth() === 0) continue
    const isMuted = isFaint(cell)
    // A cursor that the agent draws itself: on the first character of a placeholder it belongs to that.
    if (isCursor && isMuted) vivid = `${vivid.slice(0, -1)} `
    isCursor = cell.isInverse() !== 0 && !isMuted
    const chars = cell.getChars() || ' '
    vivid += isMuted ? ' '.repeat(cell.getWidth()) : chars
    highlighted += isHighlighted(cell) ? chars : ' '.repeat(chars.length)
  }
  highlighted = highlighted.trimEnd()
  const colour = foregroundOf(line.getCell(text.search(/\S/), reused))
  const background = backgroundOf(line.getCell(0, reused))
  return {
    text,
    vivid: vivid.trimEnd(),
    ...(colour === undefined ? {} : { colour }),
    ...(background === undefined ? {} : { background }),
    ...(highlighted === '' ? {} : { highlighted }),
  }
}

function foregroundOf(cell: IBufferCell | undefined): string | undefined {
  if (cell?.isFgPalette()) return String(cell.getFgColor())
  return cell?.isFgRGB() ? hex(cell.getFgColor()) : undefined
}

function backgroundOf(cell: IBufferCell | undefined): string | undefined {
  if (cell?.isBgPalette()) return String(cell.getBgColor())
  return cell?.isBgRGB() ? hex(cell.getBgColor()) : undefined
}

function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`
}

/** Inverse, or on a background that is neither grey nor dark: themes tint those of whole panels a little. */
function isHighlighted(cell: IBufferCell): boolean {
  if (cell.isInverse()) return true
  const colour = cell.getBgColor()
  if (cell.isBgPalette()) return colour % 8 !== 0 && colour % 8 !== 7 && colour < 16
  if (!cell.isBgRGB()) return false
  const [least, most] = extremes(colour)
  return most - least >= 60 && most >= 0x80
}

/** The least and the most of red, green and blue. */
function extremes(colour: number): [number, number] {
  const parts = [colour >> 16, (colour >> 8) & 255, colour & 255]
  return [Math.min(...parts), Math.max(...parts)]
}

/** Faint, or a grey that is neither the darkest nor the lightest. */
function isFaint(cell: IBufferCell): boolean {
  if (cell.isDim()) return true
  const colour = cell.getFgColor()
  if (cell.isFgPalette()) return colour === 8 || (colour >= 236 && colour <= 248)
  if (!cell.isFgRGB()) return false
  const [least, most] = extremes(colour)
  return most - least <= 24 && least >= 0x30 && most <= 0xa8
}
