import type { Palette } from './colour.ts'
import { type Column, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { width } from './text.ts'

/** The values of a bar: the total, and the solid part of it. */
export interface Measure {
  readonly total: number
  readonly solid: number
}

interface Glyphs {
  readonly solid: string
  readonly rest: string
  /** For a value that is too small for a cell. */
  readonly trace: string
}

const BLOCKS: Glyphs = { solid: '█', rest: '░', trace: '▏' }
/** In a pipe, where block characters may not be supported. */
const LETTERS: Glyphs = { solid: '#', rest: '-', trace: '|' }

export function glyphsFor({ isTTY }: Terminal): Glyphs {
  return isTTY ? BLOCKS : LETTERS
}

const GAP = 2
/** Bars get a quarter of the line, or more if the columns leave space; on a narrow one titles need the space more. */
const SHARE = 0.25
const MAX_WIDTH = 48
const NARROW = 80
const NARROW_WIDTH = 6

/**
 * A table with a bar after each row, scaled to the largest value. Columns shrink to leave `reserved` for the bars, which get
 * whatever is left beyond that.
 */
export function barTable<R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  measureOf: (row: R) => Measure,
  room: number,
  glyphs: Glyphs,
  colours: Palette,
  reserved: number = room < NARROW ? NARROW_WIDTH : Math.min(MAX_WIDTH, Math.ceil(room * SHARE)),
): string[] {
  const lines = table(columns, rows, room - GAP - reserved, colours)
  const widest = lines.reduce((most, line) => Math.max(most, width(line)), 0)
  const cells = Math.min(MAX_WIDTH, room - GAP - widest)
  const most = rows.reduce((max, row) => Math.max(max, measureOf(row).total), 0)
  if (cells <= 0 || most === 0) return lines
  return lines.map((line, index) => {
    const row = rows[index - 1]
    if (row === undefined) return line
    const drawn = bar(measureOf(row), most, cells, glyphs)
    if (drawn.solid + drawn.rest === '') return line
    const blanks = ' '.repeat(widest - width(line) + GAP)
    return line + blanks + colours.accent(drawn.solid) + colours.faint(drawn.rest)
  })
}

/** The two parts of a bar, rounded to cells; a value above zero is always visible. */
function bar({ total, solid }: Measure, most: number, cells: number, glyphs: Glyphs): { solid: string; rest: string } {
  const end = Math.round((total / most) * cells)
  const middle = Math.min(end, Math.round((solid / most) * cells))
  if (end === 0) return { solid: total > 0 ? glyphs.trace : '', rest: '' }
  return { solid: glyphs.solid.repeat(middle), rest: glyphs.rest.repeat(end - middle) }
}
