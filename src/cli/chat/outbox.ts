import type { Chat } from '../../server/chat.ts'
import { MessageNotSent, sendMessage } from '../../server/send-message.ts'

export interface OutboxEvents {
  /** It waits in the queue until the agent has finished. */
  queued(): void
  failed(why: string): void
}

/** Sends messages to the agent one after the other, each when the agent is ready for input. */
export class Outbox {
  readonly #chat: Chat
  readonly #events: OutboxEvents
  readonly #waiting: string[] = []
  #isSending = false

  constructor(chat: Chat, events: OutboxEvents) {
    this.#chat = chat
    this.#events = events
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && !this.#isSending
  }

  post(text: string): void {
    const { waiting_for, status } = this.#chat.status
    if (waiting_for !== null) {
      this.#events.failed(`the agent asks something else: ${waiting_for.text}`)
      return
    }
    if (status !== 'stable' || !this.isEmpty) this.#events.queued()
    this.#waiting.push(text)
    void this.sendNext()
  }

  /** Sends the next message if the agent is ready. Called after every change. */
  async sendNext(): Promise<void> {
    const text = this.#waiting[0]
    if (text === undefined || this.#isSending || !this.#isReady()) return
    this.#isSending = true
    try {
      await sendMessage(this.#chat, text)
      this.#waiting.shift()
    } catch (error) {
      if (!(error instanceof MessageNotSent)) throw error
      // If the agent just became busy, it is sent later.
      if (this.#isReady() || !this.#chat.host.view) {
        this.#waiting.shift()
        this.#events.failed(error.message.replace(/^failed to send message: /, ''))
      }
    } finally {
      this.#isSending = false
    }
  }

  #isReady(): boolean {
    const { status, waiting_for } = this.#chat.status
    return status === 'stable' && waiting_for === null && this.#chat.host.view !== undefined
  }
}
