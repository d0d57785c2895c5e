import type { Progress } from '../catalog/catalog.ts'
import { formatCount } from '../platform/format-count.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { fit } from './text.ts'

export interface ProgressLine {
  /** Tells how far it is; safe to call very often. */
  readonly onProgress: (progress: Progress) => void
  /** Takes the line away again. */
  readonly clear: () => void
}

const PATIENCE = 1000
const PACE = 100

/** A line on stderr that appears when something takes over a second, in a terminal only, and leaves nothing behind. */
export function progressLine({ io, err }: Context): ProgressLine {
  const begun = io.now().getTime()
  const colours = palette(err)
  const draws = err.isTTY && io.env.TERM !== 'dumb'
  let drawnAt = 0
  return {
    onProgress({ phase, done, total }) {
      const now = io.now().getTime()
      if (!draws || now - begun < PATIENCE || now - drawnAt < PACE) return
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
