import type { Palette } from './colour.ts'
import { fit, pad, width } from './text.ts'

export interface Column<R> {
  readonly title: string
  /** One line of safe text. */
  readonly value: (row: R) => string
  readonly align?: 'left' | 'right'
  /** May be cut to this many columns if the line is too long; otherwise it keeps its width. */
  readonly shrinkTo?: number
  /** Dropped if cutting is not enough, the highest number first. */
  readonly dropOrder?: number
  readonly paint?: (text: string, row: R) => string
}

const GAP = 2

/** The lines of a table with its heading, up to `columns` wide as far as possible. No rows: no lines. */
export function table<R>(
  definition: readonly Column<R>[],
  rows: readonly R[],
  columns: number,
  colours: Palette,
): string[] {
  if (rows.length === 0) return []
  const shown = definition.filter((column) => rows.some((row) => column.value(row) !== ''))
  const { kept, widths } = layOut(shown, rows, columns)
  const line = (cell: (column: Column<R>) => string, paint: (text: string, column: Column<R>) => string): string => {
    const cells = kept.map((column, index) => {
      const last = index === kept.length - 1 && column.align !== 'right'
      const text = cell(column)
      return paint(last ? fit(text, widths[index]!) : pad(text, widths[index]!, column.align), column)
    })
    return cells.join(' '.repeat(GAP)).trimEnd()
  }
  return [
    line(
      (column) => column.title,
      (text) => colours.faint(text),
    ),
    ...rows.map((row) =>
      line(
        (column) => column.value(row),
        (text, column) => (column.paint ? column.paint(text, row) : text),
      ),
    ),
  ]
}

/** Widths that fit: the widest column that may shrink is cut first; then columns are dropped. */
function layOut<R>(definition: readonly Column<R>[], rows: readonly R[], columns: number) {
  let kept = definition
  const natural = new Map(definition.map((column) => [column, naturalWidth(column, rows)]))
  for (;;) {
    const widths = kept.map((column) => natural.get(column)!)
    let excess = widths.reduce((sum, one) => sum + one, 0) + GAP * (kept.length - 1) - columns
    while (excess > 0) {
      const widest = widestThatShrinks(kept, widths)
      if (widest < 0) break
      widths[widest]!--
      excess--
    }
    const victim = kept.reduce<Column<R> | undefined>(
      (worst, column) => ((column.dropOrder ?? 0) > (worst?.dropOrder ?? 0) ? column : worst),
      undefined,
    )
    if (excess <= 0 || !victim) return { kept, widths }
    kept = kept.filter((column) => column !== victim)
  }
}

function naturalWidth<R>(column: Column<R>, rows: readonly R[]): number {
  return rows.reduce((widest, row) => Math.max(widest, width(column.value(row))), width(column.title))
}

function widestThatShrinks<R>(columns: readonly Column<R>[], widths: readonly number[]): number {
  let widest = -1
  for (const [index, { shrinkTo }] of columns.entries()) {
    if (shrinkTo === undefined || widths[index]! <= shrinkTo) continue
    if (widest < 0 || widths[index]! > widths[widest]!) widest = index
  }
  return widest
}
