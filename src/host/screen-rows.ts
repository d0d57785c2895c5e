import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless'
import type { ScreenRow } from '../agents/screen.ts'

/** The visible rows, as an agent's adapter reads them. */
export function screenRows(terminal: Terminal): ScreenRow[] {
  const { active } = terminal.buffer
  const rows: ScreenRow[] = []
  for (let row = 0; row < terminal.rows; row++) {
    const line = active.getLine(active.baseY + row)
    if (line) rows.push(screenRow(line, active.getNullCell()))
  }
  return rows
}

function screenRow(line: IBufferLine, reused: IBufferCell): ScreenRow {
  const text = line.translateToString(true)
  let vivid = ''
  let isCursor = false
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column, reused)
    if (!cell || cell.getWidth() === 0) continue
    const isMuted = isFaint(cell)
    // A cursor that the agent draws itself: on the first character of a placeholder it belongs to that.
    if (isCursor && isMuted) vivid = `${vivid.slice(0, -1)} `
    isCursor = cell.isInverse() !== 0 && !isMuted
    vivid += isMuted ? ' '.repeat(cell.getWidth()) : cell.getChars() || ' '
  }
  const colour = colourOf(line.getCell(text.search(/\S/), reused))
  return { text, vivid: vivid.trimEnd(), ...(colour === undefined ? {} : { colour }) }
}

function colourOf(cell: IBufferCell | undefined): string | undefined {
  if (cell?.isFgPalette()) return String(cell.getFgColor())
  return cell?.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, '0')}` : undefined
}

/** Faint, or a grey that is neither the darkest nor the lightest. */
function isFaint(cell: IBufferCell): boolean {
  if (cell.isDim()) return true
  const colour = cell.getFgColor()
  if (cell.isFgPalette()) return colour === 8 || (colour >= 236 && colour <= 248)
  if (!cell.isFgRGB()) return false
  const [red, green, blue] = [colour >> 16, (colour >> 8) & 255, colour & 255]
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)]
  return most - least <= 24 && least >= 0x30 && most <= 0xa8
}
