import { HashSet } from './hash-set.ts'
import type { Draft } from './sequencer.ts'

/**
 * Parents for stores whose records name the record before them. The first event of a record follows the last event of its
 * parent; a record without events passes its children on to its own parent. Memory is a number per record.
 */
export class RecordTree {
  readonly #seen = new HashSet()
  /** The last event of a record, where it is not called like the record. */
  readonly #lastEvents = new Map<string, string | null>()

  /** The event that a child of the record follows; undefined for a record that was not seen. */
  eventOf(key: string): string | null | undefined {
    if (!this.#seen.has(key)) return undefined
    const event = this.#lastEvents.get(key)
    return event === undefined ? key : event
  }

  /** The drafts of a record, the first with its parent. `parent` is a key, or null for a root; where it is not known the event before is the parent. */
  attach(key: string, parent: string | null | undefined, drafts: readonly Draft[]): Draft[] {
    const parent_id = typeof parent === 'string' ? this.eventOf(parent) : parent
    const last = drafts.at(-1)
    const event = last ? (last.id ?? (drafts.length === 1 ? key : `${key}.${drafts.length - 1}`)) : parent_id
    // Silent, and without a known parent: its children have none either.
    if (event === undefined) return []
    this.#seen.add(key)
    if (event !== key) this.#lastEvents.set(key, event)
    return drafts.map((draft, index) => (index === 0 && parent_id !== undefined ? { ...draft, parent_id } : draft))
  }
}
