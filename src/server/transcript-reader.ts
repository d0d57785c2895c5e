import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import { isProblem, isTransient, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { SessionFollower } from '../live/session-follower.ts'
import type { Scope } from '../native/record-follower.ts'
import type { Io } from '../platform/io.ts'
import { Pace } from '../platform/pace.ts'
import { Conversation, digestOf, type EventDigest } from './conversation.ts'

/** Turns a session into a conversation, and keeps that up to date while the agent writes. */
export class TranscriptReader {
  readonly #follower: SessionFollower
  #conversation = new Conversation()
  /** Of a session that is rows: its events by id, and the ids in order. */
  readonly #digests = new Map<string, EventDigest>()
  #order: readonly string[] = []
  #isComplete = true

  constructor(agent: Agent, io: Io) {
    this.#follower = new SessionFollower(agent, io, 'conversation')
  }

  /** As of the last completed read. */
  get conversation(): Conversation {
    return this.#conversation
  }

  /** False when the last read missed something that may be readable later. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** What the next read continues. Undefined when it will read the whole session. */
  get continues(): SessionFollower['continues'] {
    return this.#follower.continues
  }

  /** Reads what is new. Returns whether that changed the conversation. */
  async read(head: SessionHead, scope: Scope): Promise<boolean> {
    const { kind, items } = this.#follower.read(head, scope)
    if (kind === 'changed') return this.#readRows(items)
    const conversation = kind === 'added' ? this.#conversation : new Conversation()
    let added = 0
    this.#isComplete = await forEachEvent(items, (event) => {
      conversation.add(event)
      added++
    })
    this.#conversation = conversation
    return kind === 'all' || added > 0
  }

  close(): void {
    this.#follower.close()
  }

  /** Rows may change and disappear anywhere, so the conversation is built again; from digests, which takes milliseconds. */
  async #readRows(items: Iterable<SessionItem>): Promise<boolean> {
    let isChanged = false
    this.#isComplete = await forEachEvent(items, (event) => {
      const digest = digestOf(event)
      // The first event is given each time.
      isChanged ||= digest.entry !== undefined || !this.#digests.has(event.id)
      this.#digests.set(event.id, digest)
    })
    const order = this.#follower.order()
    // Without the rest it would be a conversation with gaps; the next read gives it.
    if (!order) {
      this.#isComplete = false
      return false
    }
    if (!isChanged && isSameOrder(order, this.#order)) return false
    this.#order = order
    const conversation = new Conversation()
    for (const id of order) conversation.addDigest(this.#digests.get(id)!)
    this.#conversation = conversation
    if (this.#digests.size > 2 * order.length) this.#forgetRemoved(order)
    return true
  }

  #forgetRemoved(order: readonly string[]): void {
    const present = new Set(order)
    for (const id of this.#digests.keys()) if (!present.has(id)) this.#digests.delete(id)
  }
}

function isSameOrder(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, at) => id === other[at])
}

/** False when something could not be read that may be readable later. */
async function forEachEvent(items: Iterable<SessionItem>, take: (event: IonEvent) => void): Promise<boolean> {
  const pace = new Pace(undefined)
  let isComplete = true
  for (const item of items) {
    if (!isProblem(item)) take(item.event)
    else if (isTransient(item)) isComplete = false
    if (pace.isDue) await pace.turn()
  }
  return isComplete
}
