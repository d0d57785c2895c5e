/** What became of events that are not in the new session as they were. */
export type Outcome = 'changed' | 'shortened' | 'text' | 'dropped'

/** So many events of a kind, and why. */
export interface Loss {
  readonly outcome: Outcome
  readonly what: string
  readonly count: number
  readonly reason: string
}

/** Counts what is lost on the way. An event that is lost twice (shortened, then dropped) counts as what came last. */
export class Losses {
  readonly #losses = new Map<string, { outcome: Outcome; what: string; count: number; reason: string }>()
  /** Ids of calls that providers refuse, and the ids that these calls have in the new session. */
  readonly callIds = new Map<string, string>()

  add(outcome: Outcome, what: string, reason: string, count = 1): void {
    if (count === 0) return
    const key = `${outcome}\n${what}\n${reason}`
    const known = this.#losses.get(key)
    if (known) known.count += count
    else this.#losses.set(key, { outcome, what, count, reason })
  }

  get list(): readonly Loss[] {
    return [...this.#losses.values()].filter(({ count }) => count > 0)
  }

  count(outcome: Outcome): number {
    return this.list.reduce((sum, loss) => sum + (loss.outcome === outcome ? loss.count : 0), 0)
  }
}
