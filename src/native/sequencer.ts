import type { IonEvent } from '../events/schema.ts'
import { HashSet } from './hash-set.ts'
import { toIso } from './time.ts'

type Completed = 'id' | 'parent_id' | 'timestamp' | 'seq' | 'timestamp_guessed'
type WithoutCompleted<T> = T extends unknown ? Omit<T, Completed> : never

/**
 * An event as an adapter writes it: its content. The rest is completed here.
 * - `id`: the native id; by default made from the record's key and its place among the record's events.
 * - `parent_id`: by default the previous event.
 * - `time`: whatever the agent wrote; if that is missing or not a time, the previous time, marked as guessed.
 * - `guessed`: the time is approximate, such as that of the answer for a prompt.
 */
export type Draft = WithoutCompleted<IonEvent> & {
  readonly id?: string | undefined
  readonly parent_id?: string | null | undefined
  readonly time?: unknown
  readonly guessed?: boolean | undefined
}

/** The state between two records: what the next event inherits from the previous one. */
export interface SequencerState {
  readonly previous: string | null
  readonly time: string
}

/** Before a suffix makes it unique in its session. */
export function draftId(nativeId: string | undefined, key: string, index: number): string {
  return nativeId || (index === 0 ? key : `${key}.${index}`)
}

/** The time of events before the first that has one. */
export const BEGINNING = '1970-01-01T00:00:00.000Z'

/** Gives drafts their order, unique and stable ids, parents and times. One for each read of a session. */
export class Sequencer {
  readonly #ids = new HashSet()
  /** The last suffix of each repeated id, so that a file of equal ids does not take quadratic time. */
  readonly #repeated = new Map<string, number>()
  #seq = 0
  #previous: string | null = null
  #time: string

  constructor(startTime: string | null) {
    this.#time = startTime ?? BEGINNING
  }

  get state(): SequencerState {
    return { previous: this.#previous, time: this.#time }
  }

  /** Continues from that point of the session. The caller must `forget` the ids that were given after it. */
  resumeAt({ previous, time }: SequencerState): void {
    this.#previous = previous
    this.#time = time
  }

  /** Some id was requested twice: an event's id may then depend on all events before it. */
  get hasRepeats(): boolean {
    return this.#repeated.size > 0
  }

  /** Frees the ids of a record that was removed or will be read again. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#ids.delete(id)
      const [, base, number] = /^(.*)~(\d+)$/s.exec(id) ?? []
      const last = this.#repeated.get(base ?? '') ?? 0
      // The next request for it looks for a free suffix from here on.
      if (base !== undefined && Number(number) <= last) this.#repeated.set(base, Math.max(1, Number(number) - 1))
    }
  }

  /** `key` identifies the record of the draft; `index` counts the drafts of one record. */
  complete(draft: Draft, key: string, index: number): IonEvent {
    const { id: nativeId, parent_id, time, guessed, type, ...rest } = draft
    const id = this.#unique(draftId(nativeId, key, index))
    const known = toIso(time)
    if (known) this.#time = known
    const event = {
      type,
      seq: this.#seq++,
      id,
      parent_id: parent_id === undefined ? this.#previous : parent_id,
      timestamp: this.#time,
      ...(known && !guessed ? {} : { timestamp_guessed: true }),
      ...rest,
    }
    this.#previous = id
    return event as IonEvent
  }

  /** Some agents use a call id twice, and forks repeat records: the second gets a suffix, the same at each read. */
  #unique(id: string): string {
    if (this.#ids.add(id)) return id
    for (let n = (this.#repeated.get(id) ?? 1) + 1; ; n++) {
      if (!this.#ids.add(`${id}~${n}`)) continue
      this.#repeated.set(id, n)
      return `${id}~${n}`
    }
  }
}
