import type { SavedState, StoredMessage } from './chat-state.ts'
import type { Message } from './contract.ts'
import { answerKey } from './conversation.ts'
import { type Draft, textMessage } from './message.ts'
import { MessageIds } from './message-ids.ts'

/** AgentAPI and the agent record the same prompt within this time. */
const SAME_PROMPT_MS = 10 * 60 * 1000

/**
 * The complete chat with its ids: what was before this session (from a state file), then the session. Without a session,
 * or when it can no longer be read, the chat is what the state file has.
 */
export class History {
  readonly #ids: MessageIds
  readonly #stored: readonly Message[]
  readonly #earlier: number
  readonly #session: string | null | undefined

  constructor(saved?: SavedState) {
    const stored = (saved?.messages ?? []).map(storedMessage).sort((a, b) => a.id - b.id)
    const ours = saved?.ion
    this.#stored = stored
    // Everything in a state file of AgentAPI itself is from before this session.
    this.#earlier = ours ? Math.min(ours.earlier, stored.length) : stored.length
    this.#session = ours?.session
    this.#ids = new MessageIds(ours?.book, (stored.at(-1)?.id ?? -1) + 1)
  }

  /** The messages before the session `native`, then those of the session; the stored ones when `drafts` is undefined. */
  messages(native: string | null, drafts: readonly Draft[] | undefined): Message[] {
    if (!drafts) return [...this.#stored]
    const before = this.#before(native, drafts)
    const ids = this.#ids.assign(
      drafts.map(({ key }) => key),
      before.at(-1)?.id ?? -1,
    )
    return [...before, ...drafts.map(({ key: _, ...draft }, index) => ({ id: ids[index]!, ...draft }))]
  }

  /** The id that the message with this key has or will have, after the message `last`. */
  idOf(key: string, last: number): number {
    return this.#ids.assign([key], last)[0]!
  }

  /** The prompt with the key `from`, and its answer, are in the transcript as `to`. */
  renamePrompt(from: string, to: string): void {
    this.#ids.rename(from, to)
    this.#ids.rename(answerKey(from), answerKey(to))
  }

  /** `drafts`: how many of the messages belong to the session; undefined when it could not be read. */
  save(native: string | null, messages: readonly Message[], drafts: number | undefined, prompt: string): SavedState {
    const isRead = drafts !== undefined
    const session = isRead ? native : (this.#session ?? native)
    return {
      version: 1,
      messages: messages.map(({ id, content, role, time }) => ({ id, message: content, role, time })),
      initial_prompt: prompt,
      // Ion sends the prompt when it starts the agent and checks the transcript for it: AgentAPI must not send it again.
      initial_prompt_sent: true,
      ion: { session, book: this.#ids.assigned(), earlier: isRead ? messages.length - drafts : this.#earlier },
    }
  }

  /** Without what is in the session as well: AgentAPI may have served the same one. */
  #before(native: string | null, drafts: readonly Draft[]): readonly Message[] {
    // If the state file is of another session, all its messages came before this one.
    const earlier = this.#session !== undefined && this.#session !== native ? this.#stored.length : this.#earlier
    const before = this.#stored.slice(0, earlier)
    const first = drafts.find(({ role }) => role === 'user')
    const same = first ? before.findIndex((message) => isSamePrompt(message, first)) : -1
    return same < 0 ? before : before.slice(0, same)
  }
}

function storedMessage({ id, message, role, time }: StoredMessage): Message {
  return { id, time, ...textMessage(role, message) }
}

function isSamePrompt(message: Message, draft: Draft): boolean {
  const apartMs = Math.abs(Date.parse(message.time) - Date.parse(draft.time))
  const isSameText = collapseSpace(message.content) === collapseSpace(draft.content)
  return message.role === draft.role && isSameText && apartMs <= SAME_PROMPT_MS
}

function collapseSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
