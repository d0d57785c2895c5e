/** A session that could go, with all that it takes along. */
export interface Candidate {
  readonly id: string
  readonly agent: string
  readonly updated_at: string | null
  readonly bytes: number
  /** Why it must stay whatever the rule says; undefined when nothing is in the way. Asked only when the rule would take it. */
  readonly stays: () => string | undefined
}

export interface PruneRule {
  /** Those that were last used before. */
  readonly before?: Date
  /** So many of each agent stay, the newest. */
  readonly keep?: number
  /** What all that stay may take together, in bytes. */
  readonly maxSize?: number
}

export interface Choice<C extends Candidate> {
  /** The oldest first. */
  readonly go: readonly C[]
  /** Those that the rule would take, but that must stay, and why. */
  readonly stay: readonly { readonly one: C; readonly reason: string }[]
  /** What all sessions take that do not go. */
  readonly left: number
}

/**
 * Which sessions go: those that are too old, then the oldest until the others take no more than they may. With `keep` alone,
 * all but the newest of each agent. The newest always stay, and so does one that does not say when it was used.
 */
export function choosePruned<C extends Candidate>(candidates: readonly C[], rule: PruneRule): Choice<C> {
  const oldest = candidates.toSorted(older)
  const newest = new Set(newestOf(oldest, rule.keep ?? 0))
  const open = oldest.filter((one) => one.updated_at !== null && !newest.has(one))
  const isOnlyKeep = rule.before === undefined && rule.maxSize === undefined
  const go: C[] = []
  const stay: { one: C; reason: string }[] = []
  let left = candidates.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const one of open) {
    const isOld = rule.before !== undefined && Date.parse(one.updated_at!) < rule.before.getTime()
    const isTooMuch = rule.maxSize !== undefined && left > rule.maxSize
    if (!isOld && !isTooMuch && !isOnlyKeep) continue
    const reason = one.stays()
    if (reason !== undefined) {
      stay.push({ one, reason })
      continue
    }
    go.push(one)
    left -= one.bytes
  }
  return { go, stay, left }
}

function older(a: Candidate, b: Candidate): number {
  const [one, other] = [a.updated_at ?? '', b.updated_at ?? '']
  return one < other ? -1 : one > other ? 1 : a.id < b.id ? -1 : 1
}

function newestOf<C extends Candidate>(oldest: readonly C[], count: number): C[] {
  const seen = new Map<string, number>()
  return oldest.toReversed().filter(({ agent }) => {
    const before = seen.get(agent) ?? 0
    seen.set(agent, before + 1)
    return before < count
  })
}
