import type { Terminal } from './terminal.ts'

type Paint = (text: string) => string

/** The colours Ion uses, by meaning. Without colours all of them return the text unchanged. */
export interface Palette {
  readonly strong: Paint
  readonly faint: Paint
  readonly good: Paint
  readonly warn: Paint
  readonly bad: Paint
  readonly accent: Paint
  readonly mark: Paint
}

const code =
  (open: number, close: number): Paint =>
  (text) =>
    text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`

const coloured: Palette = {
  strong: code(1, 22),
  faint: code(2, 22),
  good: code(32, 39),
  warn: code(33, 39),
  bad: code(31, 39),
  accent: code(36, 39),
  mark: code(7, 27),
}

const unchanged: Paint = (text) => text
const plainPalette: Palette = {
  strong: unchanged,
  faint: unchanged,
  good: unchanged,
  warn: unchanged,
  bad: unchanged,
  accent: unchanged,
  mark: unchanged,
}

export function palette(terminal: Terminal): Palette {
  return terminal.colour ? coloured : plainPalette
}
