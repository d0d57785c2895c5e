import type { IonEvent } from '../events/schema.ts'
import { hash53 } from '../platform/hash.ts'

/** Which events belong to the main branch of the conversation, by their position in the log. */
export interface Branches {
  /** Number of events on other branches. */
  readonly others: number
  /** Events appended since the first pass belong to the main branch. */
  isMain(place: number): boolean
}

/** All that decides to which branch an event belongs. */
export type BranchLink = Pick<IonEvent, 'id' | 'parent_id' | 'type' | 'sub_agent'>

const STARTS = 0 // can start a branch
const CALL = 1 // calls can be parallel, so that only one of them has a successor
const ATTENDS = 2 // results, notices, sub-agents: belong to what they follow
const USER = 3

const NONE = -1
const CHUNK = 1 << 16

/**
 * First pass over a log: ids and parents only, up to forty bytes per event. A log is a tree, and its last event decides
 * which branch is the main one: the path to the root, with what is attached to it (results of parallel calls, notices).
 */
export class BranchFinder {
  readonly #places = new PlaceTable()
  readonly #parents = new IntList()
  readonly #kinds = new IntList()
  /** By the hash of an id that did not come yet: the events that follow it. Agents may write a call before its prompt. */
  readonly #awaited = new Map<number, number[]>()
  #leaf = NONE

  add(event: BranchLink): void {
    const place = this.#parents.length
    const kind = kindOf(event)
    this.#parents.push(this.#parentOf(event, place))
    this.#kinds.push(kind)
    const hash = hash53(event.id)
    this.#places.set(hash, place)
    for (const child of this.#awaited.get(hash) ?? []) this.#parents.set(child, place)
    this.#awaited.delete(hash)
    // A late notice may belong to an old branch; a turn does not.
    if (kind !== ATTENDS || this.#leaf === NONE) this.#leaf = place
  }

  finish(): Branches {
    const size = this.#parents.length
    const main = new Uint8Array(size)
    /** The main branch continues here with a prompt, so anything else that follows was abandoned. */
    const leftByUser = new Uint8Array(size)
    let child = NONE
    for (let place = this.#leaf; place !== NONE && !main[place]; place = this.#parents.at(place)) {
      main[place] = 1
      if (child !== NONE && this.#kinds.at(child) === USER) leftByUser[place] = 1
      child = place
    }
    if (size > 0) main[0] = 1
    let others = 0
    for (let place = 0; place < size; place++) {
      const parent = this.#parents.at(place)
      const kind = this.#kinds.at(place)
      if (kind === ATTENDS && (parent === NONE || main[parent])) main[place] = 1
      else if (kind === CALL && parent !== NONE && main[parent] && !leftByUser[parent]) main[place] = 1
      if (!main[place]) others++
    }
    return { others, isMain: (place) => place >= size || main[place] === 1 }
  }

  /** A missing parent (its line was bad) must not hide what came before: the previous event is used until it comes. */
  #parentOf(event: BranchLink, place: number): number {
    if (event.parent_id === null) return NONE
    const hash = hash53(event.parent_id)
    const parent = this.#places.get(hash)
    if (parent !== NONE) return parent
    const children = this.#awaited.get(hash)
    if (children) children.push(place)
    else this.#awaited.set(hash, [place])
    return place - 1
  }
}

function kindOf(event: BranchLink): number {
  if (event.sub_agent !== undefined) return ATTENDS
  switch (event.type) {
    case 'user':
      return USER
    case 'assistant':
    case 'thinking':
    case 'compaction':
      return STARTS
    case 'tool_use':
      return CALL
    default:
      return ATTENDS
  }
}

/** 32-bit numbers in chunks: growing copies nothing. */
class IntList {
  readonly #chunks: Int32Array[] = []
  length = 0

  push(value: number): void {
    if (this.length % CHUNK === 0) this.#chunks.push(new Int32Array(CHUNK))
    this.#chunks[this.#chunks.length - 1]![this.length++ % CHUNK] = value
  }

  set(index: number, value: number): void {
    this.#chunks[Math.floor(index / CHUNK)]![index % CHUNK] = value
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]![index % CHUNK]!
  }
}

/** From the hash of an id to its position; open addressing, 12 bytes per slot. Of two equal ids the later one counts. */
class PlaceTable {
  #hashes = new Float64Array(1 << 12)
  #places = new Int32Array(1 << 12).fill(NONE)
  #used = 0

  get(hash: number): number {
    return this.#places[this.#slot(hash)]!
  }

  set(hash: number, place: number): void {
    if (this.#used * 4 > this.#places.length * 3) this.#grow()
    const slot = this.#slot(hash)
    if (this.#places[slot] === NONE) this.#used++
    this.#hashes[slot] = hash
    this.#places[slot] = place
  }

  #slot(hash: number): number {
    const mask = this.#places.length - 1
    let slot = hash % this.#places.length
    while (this.#places[slot] !== NONE && this.#hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [hashes, places] = [this.#hashes, this.#places]
    this.#hashes = new Float64Array(hashes.length * 2)
    this.#places = new Int32Array(places.length * 2).fill(NONE)
    for (let i = 0; i < places.length; i++) {
      if (places[i] === NONE) continue
      const slot = this.#slot(hashes[i]!)
      this.#hashes[slot] = hashes[i]!
      this.#places[slot] = places[i]!
    }
  }
}
