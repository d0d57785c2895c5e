import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless'

const CELL = { width: 8.4, height: 19 }
const MARGIN = 16
const PAPER = '#16181d'
const INK = '#d7dae0'
/** The sixteen terminal colours. */
const COLOURS = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'],
  ...['#5c6370', '#ef8a92', '#b5e08f', '#f0d197', '#84c4f7', '#d79be8', '#7fd0da', '#ffffff'],
]

/** The screen of a terminal as an SVG. */
export function svgOf(terminal: Terminal, { title }: { readonly title: string }): string {
  const { active } = terminal.buffer
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    runsOf(active.getLine(active.baseY + row), terminal.cols),
  )
  while (rows.at(-1)?.length === 0) rows.pop()
  const width = Math.ceil(terminal.cols * CELL.width + 2 * MARGIN)
  const height = Math.ceil(rows.length * CELL.height + 2 * MARGIN)
  const lines = rows.flatMap((runs, row) => runs.map((run) => textOf(run, row)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${lines.join('\n')}
</g>
</svg>
`
}

interface Run {
  readonly column: number
  text: string
  readonly style: string
}

/** Adjacent cells of one style, as one piece of text. */
function runsOf(line: IBufferLine | undefined, columns: number): Run[] {
  const runs: Run[] = []
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column)
    const characters = cell?.getChars() || ' '
    if (cell?.getWidth() === 0) continue
    const style = styleOf(cell)
    const last = runs.at(-1)
    if (last && last.style === style && last.column + last.text.length === column) last.text += characters
    else runs.push({ column, text: characters, style })
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text !== '')
}

function styleOf(cell: IBufferCell | undefined): string {
  const colour = cell?.isFgPalette() ? (COLOURS[cell.getFgColor()] ?? INK) : INK
  return `fill="${colour}"${cell?.isBold() ? ' font-weight="bold"' : ''}${cell?.isDim() ? ' opacity="0.6"' : ''}`
}

function textOf({ column, text, style }: Run, row: number): string {
  const x = (MARGIN + column * CELL.width).toFixed(1)
  const y = MARGIN + row * CELL.height + 14
  return `<text x="${x}" y="${y}" textLength="${(text.length * CELL.width).toFixed(1)}" ${style}>${escaped(text)}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
