import type { Progress } from '../catalog/catalog.ts'
import { formatCount } from '../platform/format-count.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { fit } from './text.ts'

export interface ProgressLine {
  /** May be called very often. */
  readonly onProgress: (progress: Progress) => void
  /** Removes the line. */
  readonly clear: () => void
}

const SHOW_AFTER_MS = 1000
const REDRAW_MS = 100

/** A line on stderr that appears in a terminal when something takes over a second. It is removed at the end. */
export function progressLine({ io, err }: Context): ProgressLine {
  const startedAt = io.now().getTime()
  const colours = palette(err)
  const isShown = err.isTTY && io.env.TERM !== 'dumb'
  let drawnAt = 0
  return {
    onProgress({ phase, done, total }) {
      const now = io.now().getTime()
      if (!isShown || now - startedAt < SHOW_AFTER_MS || now - drawnAt < REDRAW_MS) return
      drawnAt = now
      err.write(`\r${colours.faint(fit(describe(phase, done, total), err.columns - 1))}\x1b[K`)
    },
    clear() {
      if (drawnAt > 0) err.write('\r\x1b[K')
      drawnAt = 0
    },
  }
}

/** `indexing text: 120 of 4,000 (3 %)`. */
export function describe(phase: string, done: number, total: number): string {
  if (total <= 0) return `${phase} …`
  return `${phase}: ${formatCount(done)} of ${formatCount(total)} (${Math.floor((100 * done) / total)} %)`
}
