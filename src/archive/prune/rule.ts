import { IonError } from '../../platform/error.ts'
import { parseSince } from '../../platform/since.ts'

/** A session that could be pruned, together with its sub-agents. */
export interface Candidate {
  readonly id: string
  readonly agent: string
  readonly updated_at: string | null
  readonly bytes: number
  /** Why it must be kept whatever the rule says, or undefined. Called only for sessions that the rule selects. */
  readonly keepReason: () => string | undefined
}

export interface PruneRule {
  /** Sessions last used before this. */
  readonly before?: Date
  /** The number of newest sessions of each agent to keep. */
  readonly keep?: number
  /** The total size in bytes that the remaining sessions may have. */
  readonly maxSize?: number
}

export interface PruneSelection<C extends Candidate> {
  /** The sessions to prune, oldest first. */
  readonly selected: readonly C[]
  /** Sessions that the rule selects but that must be kept, and why. */
  readonly kept: readonly { readonly candidate: C; readonly reason: string }[]
  /** The total size of all sessions that are not selected. */
  readonly remainingBytes: number
}

/**
 * Selects sessions that are too old, then the oldest until the others fit into `maxSize`. With `keep` alone, all but the
 * newest of each agent. The newest `keep` are never selected, and neither is a session without a time.
 */
export function selectForPruning<C extends Candidate>(candidates: readonly C[], rule: PruneRule): PruneSelection<C> {
  const oldestFirst = candidates.toSorted(byAge)
  const newest = new Set(newestOfEachAgent(oldestFirst, rule.keep ?? 0))
  const isOnlyKeep = rule.before === undefined && rule.maxSize === undefined
  const selected: C[] = []
  const kept: { candidate: C; reason: string }[] = []
  let remainingBytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const candidate of oldestFirst) {
    if (candidate.updated_at === null || newest.has(candidate)) continue
    const isOld = rule.before !== undefined && Date.parse(candidate.updated_at) < rule.before.getTime()
    const isOverSize = rule.maxSize !== undefined && remainingBytes > rule.maxSize
    if (!isOld && !isOverSize && !isOnlyKeep) continue
    const reason = candidate.keepReason()
    if (reason !== undefined) {
      kept.push({ candidate, reason })
      continue
    }
    selected.push(candidate)
    remainingBytes -= candidate.bytes
  }
  return { selected, kept, remainingBytes }
}

function byAge(a: Candidate, b: Candidate): number {
  const [one, other] = [a.updated_at ?? '', b.updated_at ?? '']
  return one < other ? -1 : one > other ? 1 : a.id < b.id ? -1 : 1
}

function newestOfEachAgent<C extends Candidate>(oldestFirst: readonly C[], count: number): C[] {
  const seen = new Map<string, number>()
  return oldestFirst.toReversed().filter(({ agent }) => {
    const before = seen.get(agent) ?? 0
    seen.set(agent, before + 1)
    return before < count
  })
}

/** A rule as a user writes it. */
export interface PruneRuleText {
  /** `90d`, `12w` or a date. */
  readonly olderThan?: string | undefined
  /** `20`. */
  readonly keep?: string | undefined
  /** `500M`, `5G`. */
  readonly maxSize?: string | undefined
}

/** There is no default rule: pruning without one is refused. */
export function parsePruneRule({ olderThan, keep, maxSize }: PruneRuleText, now: Date): PruneRule {
  if (olderThan === undefined && keep === undefined && maxSize === undefined) {
    throw new IonError('usage', 'no pruning rule given', {
      hint: 'ion prune --older-than 90d, --max-size 5G or --keep 20, or several of them; ion storage shows disk usage',
    })
  }
  return {
    ...(olderThan === undefined ? {} : { before: parseSince(olderThan, now) }),
    ...(keep === undefined ? {} : { keep: parseCount(keep) }),
    ...(maxSize === undefined ? {} : { maxSize: parseSize(maxSize) }),
  }
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new IonError('usage', `"${text}" is not a number of sessions`, { hint: 'write --keep 20' })
}

const UNITS = ['', 'k', 'm', 'g', 't']

/** `500M`, `5G`, `1.5GB`, with the units of `ion storage`: 1 kB is 1000 bytes. */
export function parseSize(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(text.trim()) ?? []
  if (count !== undefined) return Math.floor(Number(count) * 1000 ** UNITS.indexOf(unit.toLowerCase()))
  throw new IonError('usage', `"${text}" is not a size`, { hint: 'write 500M or 5G' })
}
