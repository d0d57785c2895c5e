import type { Problem } from '../../events/item.ts'
import type { JsonLine } from '../../native/json-lines.ts'
import { asCount } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { attempt } from '../../platform/error.ts'
import type { HistoryBase } from './records.ts'
import { findRollout, readMeta } from './rollout-file.ts'

/** A part of another rollout that a fork begins with. */
export interface Ancestor extends Pick<HistoryBase, 'endOrdinal' | 'endOffset'> {
  readonly path: string
}

/**
 * The rollouts that make up a fork's history, the oldest first; none for other sessions. A fork's own file has only what
 * came after, and names the previous file. A missing one, or a cycle, is a problem and ends the list.
 */
export function ancestors(path: string, reading: ReadContext): { line: Ancestor[]; problem?: Problem } {
  const line: Ancestor[] = []
  const seen = new Set([path])
  let endOrdinal = Number.POSITIVE_INFINITY
  for (let base = baseOf(path, reading); base; base = baseOf(line[0]!.path, reading)) {
    const parent = findRollout(base.rollout, reading)
    if (!parent) {
      const problem = `the session ${base.rollout}, which this one continues, does not exist: its part is missing`
      return { line, problem: { code: 'missing', problem, path } }
    }
    if (seen.has(parent))
      return { line, problem: { code: 'invalid_record', problem: 'its history leads back to itself', path } }
    seen.add(parent)
    // A fork may end within the part that its parent inherited.
    endOrdinal = Math.min(endOrdinal, base.endOrdinal)
    line.unshift({ path: parent, endOrdinal, endOffset: base.endOffset })
  }
  return { line }
}

/** By its number; by its offset in files without numbers. */
export function isAfter(line: JsonLine, { endOrdinal, endOffset }: Ancestor): boolean {
  const ordinal = asCount(line.record.ordinal)
  return ordinal === undefined ? line.span.offset >= endOffset : ordinal >= endOrdinal
}

function baseOf(path: string, reading: ReadContext): HistoryBase | undefined {
  // Reading the lines will report a file that cannot be read.
  return attempt(() => readMeta(path, reading))?.historyBase
}
