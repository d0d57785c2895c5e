import type { Draft, Message } from './message.ts'
import { saidBy } from './message.ts'
import { MessageIds } from './message-ids.ts'
import type { SavedState, StoredMessage } from './state-file.ts'

/** Two notes of the same prompt are not further apart than this. */
const SAME_MS = 10 * 60 * 1000

/**
 * The whole chat with its numbers: what was before this session (from a state file), then the session. Without a session,
 * or when it cannot be read any more, what the state file remembers is the chat.
 */
export class History {
  readonly #ids: MessageIds
  readonly #stored: readonly Message[]
  readonly #earlier: number
  readonly #session: string | null | undefined

  constructor(saved?: SavedState) {
    const stored = (saved?.messages ?? []).map(messageOf).sort((a, b) => a.id - b.id)
    const ours = saved?.ion
    this.#stored = stored
    // A file of AgentAPI itself is all from before.
    this.#earlier = ours ? Math.min(ours.earlier, stored.length) : stored.length
    this.#session = ours?.session
    this.#ids = new MessageIds(ours?.book, (stored.at(-1)?.id ?? -1) + 1)
  }

  /** The messages of the session `native`, with what was before it; what is remembered when `drafts` is undefined. */
  messages(native: string | null, drafts: readonly Draft[] | undefined): Message[] {
    if (!drafts) return [...this.#stored]
    const before = this.#before(native, drafts)
    const numbers = this.#ids.assign(
      drafts.map(({ key }) => key),
      before.at(-1)?.id ?? -1,
    )
    return [...before, ...drafts.map(({ key: _, ...draft }, at) => ({ id: numbers[at]!, ...draft }))]
  }

  /** `drafts`: how many of the messages are of the session; undefined when it could not be read. */
  save(native: string | null, messages: readonly Message[], drafts: number | undefined, prompt: string): SavedState {
    const isKnown = drafts !== undefined
    const session = isKnown ? native : (this.#session ?? native)
    return {
      version: 1,
      messages: messages.map(({ id, content, role, time }) => ({ id, message: content, role, time })),
      initial_prompt: prompt,
      // Ion sends it with the start of the agent, and sees in the transcript whether it arrived: AgentAPI must not.
      initial_prompt_sent: true,
      ion: { session, book: this.#ids.book(), earlier: isKnown ? messages.length - drafts : this.#earlier },
    }
  }

  /** Not what stands in the session as well: AgentAPI may have looked at the very same one. */
  #before(native: string | null, drafts: readonly Draft[]): readonly Message[] {
    // Another session than the last time: what is remembered of that one came before.
    const earlier = this.#session !== undefined && this.#session !== native ? this.#stored.length : this.#earlier
    const before = this.#stored.slice(0, earlier)
    const first = drafts.find(({ role }) => role === 'user')
    const same = first ? before.findIndex((message) => isSame(message, first)) : -1
    return same < 0 ? before : before.slice(0, same)
  }
}

function messageOf({ id, message, role, time }: StoredMessage): Message {
  return { id, time, ...saidBy(role, message) }
}

function isSame(message: Message, draft: Draft): boolean {
  const apart = Math.abs(Date.parse(message.time) - Date.parse(draft.time))
  return message.role === draft.role && folded(message.content) === folded(draft.content) && apart <= SAME_MS
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
