import type { Terminal } from './terminal.ts'

type Paint = (text: string) => string

/** The colours Ion uses, by meaning: the codes that begin and end each. */
const codes = {
  strong: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
  mark: [7, 27],
} as const

/** Without colours all of them return the text unchanged. */
export type Palette = Readonly<Record<keyof typeof codes, Paint>>

function paletteOf(paint: (open: number, close: number) => Paint): Palette {
  return Object.fromEntries(Object.entries(codes).map(([name, [open, close]]) => [name, paint(open, close)])) as Palette
}

const coloured = paletteOf((open, close) => (text) => (text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`))
const uncoloured = paletteOf(() => (text) => text)

export function palette(terminal: Terminal): Palette {
  return terminal.colour ? coloured : uncoloured
}
