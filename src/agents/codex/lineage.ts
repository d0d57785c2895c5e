import type { Problem } from '../../events/item.ts'
import type { JsonLine } from '../../native/json-lines.ts'
import { asCount } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type HistoryBase, sessionMeta } from './records.ts'
import { findRollout, firstRecords } from './rollout-file.ts'

/** A part of another rollout that a fork begins with. */
export interface Ancestor {
  readonly path: string
  readonly endOrdinal: number
  readonly endOffset: number
}

/**
 * The rollouts that a fork's history is made of, the oldest first; none for other sessions. A fork's own file holds
 * only what came after, and names the file before it. One that is missing, or a circle, is a problem, and ends the line.
 */
export function ancestors(path: string, reading: ReadContext): { line: Ancestor[]; problem?: Problem } {
  const line: Ancestor[] = []
  const seen = new Set([path])
  let endOrdinal = Number.POSITIVE_INFINITY
  for (let base = baseOf(path, reading); base; base = baseOf(line[0]!.path, reading)) {
    const parent = findRollout(base.rollout, reading)
    if (!parent) {
      const problem = `the session ${base.rollout}, which this one continues, is not there: its part is missing`
      return { line, problem: { code: 'missing', problem, path } }
    }
    if (seen.has(parent))
      return { line, problem: { code: 'invalid_record', problem: 'its history leads back to itself', path } }
    seen.add(parent)
    // A fork may end before the part that its parent has from its own parent.
    endOrdinal = Math.min(endOrdinal, base.endOrdinal)
    line.unshift({ path: parent, endOrdinal, endOffset: base.endOffset })
  }
  return { line }
}

/** By its number; by its place in files that have no numbers. */
export function isBehind(line: JsonLine, { endOrdinal, endOffset }: Ancestor): boolean {
  const ordinal = asCount(line.record.ordinal)
  return ordinal === undefined ? line.span.offset >= endOffset : ordinal >= endOrdinal
}

function baseOf(path: string, reading: ReadContext): HistoryBase | undefined {
  try {
    return sessionMeta(firstRecords(path, 0, () => true, reading)[0])?.historyBase
  } catch {
    // Reading the lines will tell.
    return undefined
  }
}
