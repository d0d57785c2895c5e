import type { PruneRule } from '../../../archive/prune/prune-choice.ts'
import { IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { parseSince } from '../../../platform/since.ts'
import type { Options } from '../../command.ts'

/** The rule as it was typed. There must be one: nothing is pruned by default. */
export function ruleOf({ olderThan, keep, maxSize }: Options, { now }: Io): PruneRule {
  if (olderThan === undefined && keep === undefined && maxSize === undefined) {
    throw new IonError('usage', 'which sessions?', {
      hint: 'ion prune --older-than 90d, --max-size 5G or --keep 20, also together; ion storage shows what takes room',
    })
  }
  return {
    ...(olderThan === undefined ? {} : { before: parseSince(String(olderThan), now()) }),
    ...(keep === undefined ? {} : { keep: parseCount(String(keep)) }),
    ...(maxSize === undefined ? {} : { maxSize: parseSize(String(maxSize)) }),
  }
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new IonError('usage', `"${text}" is not a number of sessions`, { hint: 'write --keep 20' })
}

const UNITS = ['', 'k', 'm', 'g', 't']

/** `500M`, `5G`, `1.5GB`, as `ion storage` counts: 1 kB is 1000 bytes. */
export function parseSize(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(text.trim()) ?? []
  if (count !== undefined) return Math.floor(Number(count) * 1000 ** UNITS.indexOf(unit.toLowerCase()))
  throw new IonError('usage', `"${text}" is not a size`, { hint: 'write 500M or 5G' })
}
