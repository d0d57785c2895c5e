import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import { END_OF_AVAILABLE, type Item, isEvent } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { type Follow, readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { Conversation } from './conversation.ts'

/** So long the reader works at a stretch; then others have their turn. */
const STRETCH_MS = 10

interface Open {
  readonly items: Iterator<Item>
  readonly follow: Follow
  readonly inode: number
  /** The last bytes that were read: one that was written anew in its place has others there. */
  tail: string
}

/**
 * Reads a session into a conversation. A file of lines is read on from where it ended the last time, so that what is
 * added to a large session costs what was added; any other store is read anew.
 */
export class TranscriptReader {
  readonly #agent: Agent
  readonly #io: Io
  #open: Open | undefined
  #conversation = new Conversation()

  constructor(agent: Agent, io: Io) {
    this.#agent = agent
    this.#io = io
  }

  /** As it was after the last whole reading, and what was added since. */
  get conversation(): Conversation {
    return this.#conversation
  }

  /** Whether the file is still the one that was read, and has only grown. */
  get canGoOn(): boolean {
    if (!this.#open) return false
    const { follow, inode, tail } = this.#open
    const stat = statSync(follow.path, { throwIfNoEntry: false })
    if (!stat || stat.ino !== inode || stat.size < follow.offset) return false
    return stat.size === follow.offset || tailOf(follow) === tail
  }

  /** Reads it from its beginning. Until that is done the conversation is the one before. */
  async read(head: SessionHead): Promise<void> {
    this.close()
    const follow: Follow = { path: head.path, offset: 0 }
    const inode = statSync(head.path, { throwIfNoEntry: false })?.ino ?? 0
    const items = this.#agent.read(head, { ...readContext(this.#io), follow })[Symbol.iterator]()
    const conversation = new Conversation()
    this.#open = { items, follow, inode, tail: '' }
    const { isPaused } = await takeIn(items, conversation)
    if (isPaused) this.#open.tail = tailOf(follow)
    else this.#open = undefined
    this.#conversation = conversation
  }

  /** Takes in what was added; only when `canGoOn`. Returns whether anything was. */
  async goOn(): Promise<boolean> {
    const open = this.#open!
    const { added, isPaused } = await takeIn(open.items, this.#conversation)
    if (isPaused) open.tail = tailOf(open.follow)
    else this.#open = undefined
    return added
  }

  close(): void {
    this.#open?.items.return?.()
    this.#open = undefined
  }
}

/** `isPaused`: more may come from the same place. */
async function takeIn(
  items: Iterator<Item>,
  conversation: Conversation,
): Promise<{ readonly added: boolean; readonly isPaused: boolean }> {
  let until = performance.now() + STRETCH_MS
  let added = false
  for (;;) {
    const { done, value } = items.next()
    if (done || value === END_OF_AVAILABLE) return { added, isPaused: !done }
    if (isEvent(value)) {
      conversation.add(value.event)
      added = true
    }
    if (performance.now() < until) continue
    await new Promise((resolve) => setImmediate(resolve))
    until = performance.now() + STRETCH_MS
  }
}

const TAIL = 64

/** What stands before the place where reading ended; empty when it cannot be read now. */
function tailOf({ path, offset }: Follow): string {
  const bytes = Buffer.alloc(TAIL)
  try {
    const fd = openSync(path, 'r')
    try {
      const from = Math.max(0, offset - TAIL)
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, offset - from, from))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}
