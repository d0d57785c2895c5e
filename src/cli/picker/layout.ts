export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Where things stand: a line of heading, the query, the list, the preview beside or below it, a line of keys. */
export interface Layout {
  readonly list: Size
  readonly preview: Size & { readonly place: 'beside' | 'below' | 'none' }
}

const BESIDE = 100
const BELOW = 13

export function layOut({ columns, rows }: Size): Layout {
  const body = Math.max(1, rows - 4)
  if (columns >= BESIDE) {
    const width = Math.min(Math.floor(columns * 0.55), 90)
    return {
      list: { columns: width, rows: body },
      // Three columns for the line between.
      preview: { columns: columns - width - 3, rows: body, place: 'beside' },
    }
  }
  if (rows >= BELOW) {
    const below = Math.floor(body * 0.4)
    return {
      list: { columns, rows: body - below - 1 },
      preview: { columns, rows: below, place: 'below' },
    }
  }
  return { list: { columns, rows: body }, preview: { columns: 0, rows: 0, place: 'none' } }
}
