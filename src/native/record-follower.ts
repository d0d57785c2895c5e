import { type Item, isEvent, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { Database } from '../platform/sqlite.ts'
import { withNativeDatabase } from './database.ts'
import type { ReadContext } from './read-context.ts'
import { Sequencer, type SequencerState } from './sequencer.ts'
import { type Keyed, startEvent, startTime, type ToDrafts, translate } from './translate.ts'

/** The records of one session in an open database. */
export interface SessionRecords<R> {
  /** Of all records, or of those after that one, in reading order. From an index, without reading their rows. */
  keys(after?: string): readonly string[]
  /** A text for each of them that changes with the record. */
  marks(after?: string): readonly string[]
  /** The record; nothing, or a problem, if it cannot be read. */
  read(key: string): Iterable<Keyed<R> | Problem>
  /** It was removed, or will be read again. */
  forget?(key: string): void
  /** Records after the last one, computed again for each read. `count` is the number of records before. */
  end(count: number): Iterable<Keyed<R> | Problem>
}

/** What to look for: `tail`: new records, and changes of the last ones, which an agent may still be writing; `all`: any change. */
export type Scope = 'tail' | 'all'

/** The number of last records in the `tail` scope. */
const TAIL_RECORDS = 32

interface Known {
  readonly mark: string
  readonly before: SequencerState
  readonly after: SequencerState
  readonly ids: readonly string[]
}

interface Candidates {
  readonly keys: readonly string[]
  /** Keys of the records before those, which are not compared. */
  readonly before: readonly string[]
  readonly marks: readonly string[]
}

/**
 * Follows a session in a database while the agent writes it. It remembers a mark and the position of each record, not the
 * record, and reads only records that are new or changed, and those after them whose events depend on them. Its events
 * are those of a complete read, but not in order, and some are repeated.
 */
export class RecordFollower<R> {
  readonly #open: (database: Database, reading: ReadContext) => SessionRecords<R>
  readonly #toDrafts: ToDrafts<R>
  readonly #known = new Map<string, Known>()
  /** The keys of all records, in order. */
  #order: readonly string[] = []
  #sequencer = new Sequencer(null)
  /** Of the first event and of the end, which are computed again for each read. */
  #transientIds: string[] = []
  #isComplete = false

  constructor(open: (database: Database, reading: ReadContext) => SessionRecords<R>, toDrafts: ToDrafts<R>) {
    this.#open = open
    this.#toDrafts = toDrafts
  }

  /** Ids of all events in reading order; undefined if the last `more` failed or was not consumed completely. */
  order(): readonly string[] | undefined {
    if (!this.#isComplete) return undefined
    const [start, ...end] = this.#transientIds
    const ids = [start!]
    // Called after each change of a large session: `flatMap` takes several times as long.
    for (const key of this.#order) for (const id of this.#known.get(key)!.ids) ids.push(id)
    ids.push(...end)
    return ids
  }

  *more(head: SessionHead, reading: ReadContext, scope: Scope): Generator<Item> {
    this.#isComplete = false
    yield* withNativeDatabase(head.path, (database) =>
      this.#readChanges(this.#open(database, reading), head, reading, scope),
    )
  }

  *#readChanges(records: SessionRecords<R>, head: SessionHead, reading: ReadContext, scope: Scope): Generator<Item> {
    this.#sequencer.forget(this.#transientIds)
    this.#transientIds = []
    const { keys, before, marks } = (scope === 'tail' && this.#tail(records)) || this.#all(records)
    // Until this read is complete.
    this.#order = []
    yield this.#start(head)
    let state = this.#known.get(before.at(-1) ?? '')?.after ?? this.#sequencer.state
    let rereadsRest = false
    for (const [index, key] of keys.entries()) {
      const known = this.#known.get(key)
      const mark = marks[index]!
      if (!rereadsRest && known?.mark === mark && areSame(known.before, state)) {
        state = known.after
        continue
      }
      this.#forget(key, records)
      let items = this.#translate(records.read(key), state, head, reading)
      if (!rereadsRest && this.#sequencer.hasRepeats) {
        // Which of two equal ids gets the suffix depends on everything before.
        rereadsRest = true
        this.#sequencer.forget(idsOf(items))
        for (const later of keys.slice(index + 1).reverse()) this.#forget(later, records)
        items = this.#translate(records.read(key), state, head, reading)
      }
      const after = this.#sequencer.state
      this.#known.set(key, { mark, before: state, after, ids: idsOf(items) })
      state = after
      yield* items
    }
    this.#order = before.concat(keys)
    const end = this.#translate(records.end(this.#order.length), state, head, reading)
    this.#transientIds.push(...idsOf(end))
    yield* end
    this.#isComplete = true
  }

  /** Undefined if the session is short, or if its last records were not only added to. */
  #tail(records: SessionRecords<R>): Candidates | undefined {
    const before = this.#order.slice(0, -TAIL_RECORDS)
    const last = before.at(-1)
    if (last === undefined) return undefined
    const keys = records.keys(last)
    if (this.#order.some((key, at) => at >= before.length && keys[at - before.length] !== key)) return undefined
    return { before, keys, marks: records.marks(last) }
  }

  #all(records: SessionRecords<R>): Candidates {
    const keys = records.keys()
    this.#forgetRemoved(keys, records)
    return { before: [], keys, marks: records.marks() }
  }

  #start(head: SessionHead): Item {
    this.#sequencer.resumeAt(new Sequencer(startTime(head)).state)
    const event = startEvent(head, this.#sequencer)
    this.#transientIds = [event.id]
    return { event }
  }

  #translate(
    records: Iterable<Keyed<R> | Problem>,
    state: SequencerState,
    head: SessionHead,
    reading: ReadContext,
  ): Item[] {
    this.#sequencer.resumeAt(state)
    return [...translate(head, records, this.#toDrafts, reading, this.#sequencer)]
  }

  #forget(key: string, records: SessionRecords<R>): void {
    const known = this.#known.get(key)
    if (!known) return
    this.#sequencer.forget(known.ids)
    this.#known.delete(key)
    records.forget?.(key)
  }

  #forgetRemoved(keys: readonly string[], records: SessionRecords<R>): void {
    const present = new Set(keys)
    const removed = [...this.#known.keys()].filter((key) => !present.has(key))
    for (const key of removed) this.#forget(key, records)
    if (removed.length === 0 || !this.#sequencer.hasRepeats) return
    // Which of the others have a suffix depends on the removed ones.
    for (const key of [...this.#known.keys()]) this.#forget(key, records)
    this.#sequencer = new Sequencer(null)
  }
}

function areSame(one: SequencerState, other: SequencerState): boolean {
  return one === other || (one.previous === other.previous && one.time === other.time)
}

function idsOf(items: readonly Item[]): string[] {
  return items.flatMap((item) => (isEvent(item) ? [item.event.id] : []))
}
