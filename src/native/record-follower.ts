import { type Item, isEvent, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { Database } from '../platform/sqlite.ts'
import { withNativeDatabase } from './database.ts'
import type { ReadContext } from './read-context.ts'
import { Sequencer, type Standing } from './sequencer.ts'
import { type Keyed, startEvent, startTime, type ToDrafts, translate } from './translate.ts'

/** The records of one session, in a database that is open. */
export interface SessionRecords<R> {
  /** Of all of them, or those after that one, in the order of reading. From an index, without looking at their rows. */
  keys(after?: string): readonly string[]
  /** Of the same, a text for each: another one when the record has changed. */
  marks(after?: string): readonly string[]
  /** The record; nothing, or a problem, where it cannot be read. */
  read(key: string): Iterable<Keyed<R> | Problem>
  /** It is gone, or will be read anew. */
  forget?(key: string): void
  /** What is told after all of them, of which there are so many. Made anew each time. */
  end(count: number): Iterable<Keyed<R> | Problem>
}

/** `young`: what is new, and the last records, which an agent may still be writing. `all`: any that has changed. */
export type Scope = 'young' | 'all'

/** So many at the end are young. */
const YOUNG = 32

interface Known {
  readonly mark: string
  readonly before: Standing
  readonly after: Standing
  readonly ids: readonly string[]
}

interface Look {
  readonly keys: readonly string[]
  /** Keys of the records before those, which are not looked at. */
  readonly before: readonly string[]
  readonly marks: readonly string[]
}

/**
 * Stays with a session in a database while the agent writes it. It remembers of each record a mark and where it stands,
 * not the record, and reads only what is new, what has changed, and what follows those and comes out otherwise for that.
 * Its events are those of reading the whole, but not in order, and some are told again.
 */
export class RecordFollower<R> {
  readonly #open: (database: Database, reading: ReadContext) => SessionRecords<R>
  readonly #toDrafts: ToDrafts<R>
  readonly #known = new Map<string, Known>()
  /** Their keys, in their order. */
  #order: readonly string[] = []
  #sequencer = new Sequencer(null)
  /** Of the first event and of the end, which are made anew each time. */
  #passingIds: string[] = []
  #isComplete = false

  constructor(open: (database: Database, reading: ReadContext) => SessionRecords<R>, toDrafts: ToDrafts<R>) {
    this.#open = open
    this.#toDrafts = toDrafts
  }

  /** Ids of all events in the order of reading; undefined when the last `more` failed or was not walked to its end. */
  order(): readonly string[] | undefined {
    if (!this.#isComplete) return undefined
    const [start, ...end] = this.#passingIds
    const ids = [start!]
    // Asked after each change of a large session: `flatMap` takes several times as long.
    for (const key of this.#order) for (const id of this.#known.get(key)!.ids) ids.push(id)
    ids.push(...end)
    return ids
  }

  *more(head: SessionHead, reading: ReadContext, attention: Scope): Generator<Item> {
    this.#isComplete = false
    yield* withNativeDatabase(head.path, (database) => this.#inOneMoment(database, head, reading, attention))
  }

  *#inOneMoment(database: Database, head: SessionHead, reading: ReadContext, attention: Scope): Generator<Item> {
    database.exec('BEGIN')
    try {
      yield* this.#look(this.#open(database, reading), head, reading, attention)
    } finally {
      database.exec('ROLLBACK')
    }
  }

  *#look(records: SessionRecords<R>, head: SessionHead, reading: ReadContext, attention: Scope): Generator<Item> {
    this.#sequencer.forget(this.#passingIds)
    this.#passingIds = []
    const { keys, before, marks } = (attention === 'young' && this.#young(records)) || this.#all(records)
    // Until all is known again.
    this.#order = []
    yield this.#start(head)
    let standing = this.#known.get(before.at(-1) ?? '')?.after ?? this.#sequencer.standing
    let toTheEnd = false
    for (const [index, key] of keys.entries()) {
      const known = this.#known.get(key)
      const mark = marks[index]!
      if (!toTheEnd && known?.mark === mark && areSame(known.before, standing)) {
        standing = known.after
        continue
      }
      this.#forget(key, records)
      let items = this.#translate(records.read(key), standing, head, reading)
      if (!toTheEnd && this.#sequencer.hasRepeats) {
        // Which of two gets the suffix depends on all that stands before it.
        toTheEnd = true
        this.#sequencer.forget(idsOf(items))
        for (const later of keys.slice(index + 1).reverse()) this.#forget(later, records)
        items = this.#translate(records.read(key), standing, head, reading)
      }
      const after = this.#sequencer.standing
      this.#known.set(key, { mark, before: standing, after, ids: idsOf(items) })
      standing = after
      yield* items
    }
    this.#order = before.concat(keys)
    const end = this.#translate(records.end(this.#order.length), standing, head, reading)
    this.#passingIds.push(...idsOf(end))
    yield* end
    this.#isComplete = true
  }

  /** Undefined when the session is short, and when something other was done at its end than adding records. */
  #young(records: SessionRecords<R>): Look | undefined {
    const before = this.#order.slice(0, -YOUNG)
    const last = before.at(-1)
    if (last === undefined) return undefined
    const keys = records.keys(last)
    if (this.#order.some((key, at) => at >= before.length && keys[at - before.length] !== key)) return undefined
    return { before, keys, marks: records.marks(last) }
  }

  #all(records: SessionRecords<R>): Look {
    const keys = records.keys()
    this.#forgetGone(keys, records)
    return { before: [], keys, marks: records.marks() }
  }

  #start(head: SessionHead): Item {
    this.#sequencer.standAt(new Sequencer(startTime(head)).standing)
    const event = startEvent(head, this.#sequencer)
    this.#passingIds = [event.id]
    return { event }
  }

  #translate(
    records: Iterable<Keyed<R> | Problem>,
    standing: Standing,
    head: SessionHead,
    reading: ReadContext,
  ): Item[] {
    this.#sequencer.standAt(standing)
    return [...translate(head, records, this.#toDrafts, reading, this.#sequencer)]
  }

  #forget(key: string, records: SessionRecords<R>): void {
    const known = this.#known.get(key)
    if (!known) return
    this.#sequencer.forget(known.ids)
    this.#known.delete(key)
    records.forget?.(key)
  }

  #forgetGone(keys: readonly string[], records: SessionRecords<R>): void {
    const there = new Set(keys)
    const gone = [...this.#known.keys()].filter((key) => !there.has(key))
    for (const key of gone) this.#forget(key, records)
    if (gone.length === 0 || !this.#sequencer.hasRepeats) return
    // Which of the others have a suffix depends on those that are gone.
    for (const key of [...this.#known.keys()]) this.#forget(key, records)
    this.#sequencer = new Sequencer(null)
  }
}

function areSame(one: Standing, other: Standing): boolean {
  return one === other || (one.previous === other.previous && one.time === other.time)
}

function idsOf(items: readonly Item[]): string[] {
  return items.flatMap((item) => (isEvent(item) ? [item.event.id] : []))
}
