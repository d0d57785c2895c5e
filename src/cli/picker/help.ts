import { pad, wrap } from '../text.ts'
import { helpOf } from './keys.ts'
import type { PickerState, Size } from './state.ts'

const KEY_COLUMNS = 18
const HIDDEN = { key: 'hidden', what: 'ion sessions --sub-agents --hidden lists these too' }

/** A line of the help, padded to columns; `key` is blank where the text above continues. */
export interface HelpRow {
  readonly key: string
  readonly what: string
}

export function helpRows({ size: { columns }, unlisted }: PickerState, enter: 'show' | 'resume'): HelpRow[] {
  const keyColumns = Math.min(KEY_COLUMNS, Math.floor(columns * 0.4))
  return [...helpOf(enter), ...(unlisted > 0 ? [HIDDEN] : [])].flatMap(({ key, what }) =>
    wrap(what, columns - keyColumns - 3).map((line, index) => ({
      key: pad(index === 0 ? key : '', keyColumns),
      what: line,
    })),
  )
}

/** The rows that fit on the screen, below three lines, above the footer and a line that says how to close it. */
export function helpPage({ rows }: Size): number {
  return Math.max(1, rows - 5)
}
