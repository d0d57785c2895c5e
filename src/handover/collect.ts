import type { CompactionEvent, IonEvent } from '../events/event.ts'
import { isProblem, type Problem, type SessionItem } from '../events/item.ts'
import { BranchFinder } from '../export/branch.ts'
import { IonError } from '../platform/error.ts'
import type { Losses } from './report.ts'

/** An event by its id (or its beginning), or a prompt by its number, as `ion show` counts them. */
export type Place = { readonly event: string } | { readonly turn: number }

export interface Extent {
  /** Only from here on. */
  readonly since?: Place
  /** Only up to here, this event or turn included. */
  readonly until?: Place
}

/** What the model would see if the session were resumed now. */
export interface Collected {
  readonly events: readonly IonEvent[]
  /** The last event of the session, whatever branch it is on: tells whether the session grew since. */
  readonly last: string | null
  readonly problems: readonly Problem[]
}

/**
 * Reads the session twice: first to know which branch is the current one, then to keep what is on it since its last
 * compaction. Memory holds what the model would see, not the session.
 */
export function collect(read: () => Iterable<SessionItem>, extent: Extent, losses: Losses): Collected {
  const finder = new BranchFinder()
  const problems: Problem[] = []
  for (const item of read()) {
    if (isProblem(item)) problems.push(item)
    else finder.add(item.event)
  }
  const branches = finder.finish()
  const counter = new TurnCounter(extent)
  let kept: IonEvent[] = []
  let last: string | null = null
  let place = -1
  for (const item of read()) {
    if (isProblem(item)) continue
    const { event } = item
    place++
    last = event.id
    if (event.type === 'session_start' || event.type === 'session_end') continue
    if (!branches.isMain(place)) losses.add('dropped', 'event', 'on a branch that was left')
    else if (event.sub_agent !== undefined) losses.add('dropped', 'event', 'made by a sub-agent, whose result is kept')
    else {
      const where = counter.next(event)
      if (where === 'before') losses.add('dropped', 'event', 'before --since')
      else if (where === 'after') losses.add('dropped', 'event', 'after --at')
      else if (event.type === 'compaction') kept = compacted(event, kept, losses)
      else kept.push(event)
    }
  }
  counter.requireFound()
  return { events: kept, last, problems }
}

/** The summary, what the agent kept beside it word for word, and nothing else. */
function compacted(event: CompactionEvent, before: readonly IonEvent[], losses: Losses): IonEvent[] {
  const preserved = new Set(event.preserved ?? [])
  const kept = before.filter((one) => preserved.has(one.id))
  losses.add('dropped', 'event', 'replaced by the summary of a compaction', before.length - kept.length)
  return [event, ...kept]
}

/** Says of each event of the current branch, in order, whether it is in the extent. */
class TurnCounter {
  readonly #since: Place | undefined
  readonly #until: Place | undefined
  #turn = 0
  #hasBegun: boolean
  #hasEnded = false

  constructor({ since, until }: Extent) {
    this.#since = since
    this.#until = until
    this.#hasBegun = since === undefined
  }

  next(event: IonEvent): 'before' | 'in' | 'after' {
    if (event.type === 'user') this.#turn++
    if (this.#until && 'turn' in this.#until && this.#turn > this.#until.turn) this.#hasEnded = true
    if (this.#hasEnded) return 'after'
    if (!this.#hasBegun && this.#since && this.#isAt(event, this.#since)) this.#hasBegun = true
    if (!this.#hasBegun) return 'before'
    if (this.#until && 'event' in this.#until && this.#isAt(event, this.#until)) this.#hasEnded = true
    return 'in'
  }

  #isAt(event: IonEvent, place: Place): boolean {
    return 'turn' in place ? this.#turn >= place.turn : event.id.startsWith(place.event)
  }

  requireFound(): void {
    const missing = !this.#hasBegun ? this.#since : this.#hasEnded ? undefined : this.#until
    if (missing === undefined) return
    if ('event' in missing) {
      throw new IonError('not-found', `the current branch of the session has no event ${missing.event}`, {
        hint: 'ion show <id> --json lists the events; ion search prints session#event',
      })
    }
    // The last turn has no next one to end it.
    if (missing === this.#until && missing.turn === this.#turn) return
    throw new IonError('not-found', `the session has no turn ${missing.turn}: it has ${this.#turn}`, {
      hint: 'ion show <id> numbers the turns',
    })
  }
}
