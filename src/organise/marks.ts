import { isKnown, type MarkedSession, type Operation, type OperationRecord } from './operation.ts'

/** What Ion knows about a session beside its agent: what the user added, and handovers. Nothing of it is in the agent's store. */
export interface Marks {
  /** Shown instead of the agent's title. */
  readonly name: string | null
  /** In alphabetical order. */
  readonly tags: readonly string[]
  readonly pinned: boolean
  readonly note: string | null
  /** The session that Ion made it from, by a handover or fork. */
  readonly origin: MarkedSession | null
  /** Ids of the sessions that Ion made from it. */
  readonly handed_over_to: readonly string[]
}

export const noMarks: Marks = { name: null, tags: [], pinned: false, note: null, origin: null, handed_over_to: [] }

/** The marks of all sessions. */
export class AllMarks {
  readonly #sessions = new Map<string, SessionMarks>()
  /** Keys of sessions that may have been made from this one, by its key. */
  readonly #copies = new Map<string, Set<SessionMarks>>()

  /** Operations may come in any order, and repeatedly: of those on one thing, the last by its time counts. */
  add(operation: OperationRecord): void {
    const key = keyOf(operation)
    let session = this.#sessions.get(key)
    if (!session) {
      session = new SessionMarks(operation)
      this.#sessions.set(key, session)
    }
    session.add(operation)
    if (operation.op !== 'origin' || typeof operation.value !== 'string') return
    const copies = this.#copies.get(operation.value)
    if (copies) copies.add(session)
    else this.#copies.set(operation.value, new Set([session]))
  }

  get(session: MarkedSession): Marks {
    const key = keyOf(session)
    const marks = this.#sessions.get(key)?.marks ?? noMarks
    const copies = [...(this.#copies.get(key) ?? [])].filter(({ marks: { origin } }) => origin && keyOf(origin) === key)
    return copies.length === 0 ? marks : { ...marks, handed_over_to: copies.map(({ of }) => of.id).sort(compare) }
  }

  /** The time of the last operation on a session; undefined if there was none. */
  lastChange(session: MarkedSession): string | undefined {
    return this.#sessions.get(keyOf(session))?.last
  }

  /** Sessions with marks that pass. */
  where(passes: (marks: Marks) => boolean): MarkedSession[] {
    return [...this.#sessions.values()].filter(({ marks }) => marks !== noMarks && passes(marks)).map(({ of }) => of)
  }

  withTag(wanted: readonly string[]): MarkedSession[] {
    return this.where(({ tags }) => wanted.some((tag) => tags.includes(tag)))
  }

  pinned(): MarkedSession[] {
    return this.where(({ pinned }) => pinned)
  }

  /** All tags, in alphabetical order, with the number of sessions. */
  tags(): { readonly tag: string; readonly sessions: number }[] {
    const counts = new Map<string, number>()
    for (const { marks } of this.#sessions.values()) {
      for (const tag of marks.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    }
    return [...counts].map(([tag, sessions]) => ({ tag, sessions })).sort((a, b) => compare(a.tag, b.tag))
  }
}

export function allMarks(operations: Iterable<OperationRecord>): AllMarks {
  const marks = new AllMarks()
  for (const operation of operations) marks.add(operation)
  return marks
}

/** Agents may share ids, as an agent and its successor do. */
export function keyOf({ agent, id }: MarkedSession): string {
  return `${agent} ${id}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A value with the time it was set, and the value again: of two at the same time, one wins on every machine. */
interface Setting {
  readonly order: string
  readonly value: string | boolean | null
}

class SessionMarks {
  readonly of: MarkedSession
  last = ''
  readonly #settings = new Map<string, Setting>()
  #marks: Marks | undefined

  constructor({ agent, id }: MarkedSession) {
    this.of = { agent, id }
  }

  add(operation: OperationRecord): void {
    if (operation.at > this.last) this.last = operation.at
    if (!isKnown(operation)) return
    const [thing, value] = settingOf(operation)
    const order = `${operation.at} ${JSON.stringify(value)}`
    if (order <= (this.#settings.get(thing)?.order ?? '')) return
    this.#settings.set(thing, { order, value })
    this.#marks = undefined
  }

  get marks(): Marks {
    this.#marks ??= this.#fold()
    return this.#marks
  }

  #fold(): Marks {
    const text = (thing: string): string | null =>
      (this.#settings.get(thing)?.value as string | null | undefined) ?? null
    const isSet = ([thing, { value }]: [string, Setting]): boolean => thing.startsWith(TAG) && value === true
    const tags = [...this.#settings].filter(isSet).map(([thing]) => thing.slice(TAG.length))
    const pinned = this.#settings.get('pin')?.value === true
    const [name, note] = [text('name'), text('note')]
    const origin = originOf(text('origin'))
    if (name === null && note === null && !pinned && tags.length === 0 && !origin) return noMarks
    return { ...noMarks, name, tags: tags.sort(compare), pinned, note, origin }
  }
}

/** As keyOf wrote it. */
function originOf(text: string | null): MarkedSession | null {
  const [agent, id] = text?.split(' ') ?? []
  return agent && id ? { agent, id } : null
}

const TAG = 'tag '

/** What an operation sets, and to what. */
function settingOf(operation: Operation): [thing: string, value: string | boolean | null] {
  switch (operation.op) {
    case 'tag':
    case 'untag':
      return [TAG + operation.value, operation.op === 'tag']
    case 'pin':
    case 'unpin':
      return ['pin', operation.op === 'pin']
    default:
      return [operation.op, operation.value]
  }
}
