import type { IonEvent } from '../events/schema.ts'
import { HashSet } from './hash-set.ts'
import { toIso } from './time.ts'

type Completed = 'id' | 'parent_id' | 'timestamp' | 'seq' | 'timestamp_guessed'
type WithoutCompleted<T> = T extends unknown ? Omit<T, Completed> : never

/**
 * An event as an adapter writes it: what it says. The rest is completed here.
 * - `id`: the native id; left out, it is made from the record's key and its place among the record's events.
 * - `parent_id`: left out, the event before.
 * - `time`: whatever the agent wrote; left out or no time, the time before, marked as a guess.
 * - `guessed`: the time is only near, such as that of the answer for a prompt.
 */
export type Draft = WithoutCompleted<IonEvent> & {
  readonly id?: string | undefined
  readonly parent_id?: string | null | undefined
  readonly time?: unknown
  readonly guessed?: boolean | undefined
}

/** Where a sequencer stands between two records: what the next event is given by the one before. */
export interface Standing {
  readonly previous: string | null
  readonly time: string
}

const BEGINNING = '1970-01-01T00:00:00.000Z'

/** Gives drafts their order, their unique and stable ids, their parents and their times. One per reading of a session. */
export class Sequencer {
  readonly #ids = new HashSet()
  /** The last suffix given, so that a file of a million equal ids is not a million times a million steps. */
  readonly #repeated = new Map<string, number>()
  #seq = 0
  #previous: string | null = null
  #time: string

  constructor(startTime: string | null) {
    this.#time = startTime ?? BEGINNING
  }

  get standing(): Standing {
    return { previous: this.#previous, time: this.#time }
  }

  /** Goes on as if it had come to that point of the session. The ids that it gave after it are the caller's to forget. */
  standAt({ previous, time }: Standing): void {
    this.#previous = previous
    this.#time = time
  }

  /** Some id was once wished for twice: what an event is called then depends on all events before it. */
  get hasRepeats(): boolean {
    return this.#repeated.size > 0
  }

  /** Takes back the ids of a record that is gone or will be read anew. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#ids.delete(id)
      const [, wished, number] = /^(.*)~(\d+)$/s.exec(id) ?? []
      const last = this.#repeated.get(wished ?? '') ?? 0
      // The next one to wish for it looks for the first suffix that is free from here on.
      if (wished !== undefined && Number(number) <= last) this.#repeated.set(wished, Math.max(1, Number(number) - 1))
    }
  }

  /** `key` names the record that the draft came from; `index` counts the drafts of one record. */
  complete(draft: Draft, key: string, index: number): IonEvent {
    const { id: wished, parent_id, time, guessed, type, ...rest } = draft
    const id = this.#unique(wished || (index === 0 ? key : `${key}.${index}`))
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

  /** Some agents use a call id twice, and forks repeat records: the second gets a suffix, the same at each reading. */
  #unique(id: string): string {
    if (this.#ids.add(id)) return id
    for (let n = (this.#repeated.get(id) ?? 1) + 1; ; n++) {
      if (!this.#ids.add(`${id}~${n}`)) continue
      this.#repeated.set(id, n)
      return `${id}~${n}`
    }
  }
}
