import type { Chat } from '../../server/chat.ts'
import { MessageNotSent, sendMessage } from '../../server/send-message.ts'

export interface Posted {
  /** It stands in the queue until the agent has finished. */
  queued(text: string): void
  failed(text: string, why: string): void
}

/** Messages on their way to the agent: one after the other, each when the agent waits for words. */
export class Outbox {
  readonly #chat: Chat
  readonly #posted: Posted
  readonly #waiting: string[] = []
  #isSending = false

  constructor(chat: Chat, posted: Posted) {
    this.#chat = chat
    this.#posted = posted
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && !this.#isSending
  }

  post(text: string): void {
    const { waiting_for, status } = this.#chat.status
    if (waiting_for !== null) {
      this.#posted.failed(text, `the agent shows a dialog (${waiting_for})`)
      return
    }
    if (status !== 'stable' || !this.isEmpty) this.#posted.queued(text)
    this.#waiting.push(text)
    void this.move()
  }

  /** Sends the next one, if it is its time. Called after every change; throws nothing. */
  async move(): Promise<void> {
    const text = this.#waiting[0]
    if (text === undefined || this.#isSending || !this.#isReady()) return
    this.#isSending = true
    try {
      await sendMessage(this.#chat, text)
      this.#waiting.shift()
    } catch (error) {
      if (!(error instanceof MessageNotSent)) throw error
      // It began to work at the same instant: then it is sent later.
      if (this.#isReady() || !this.#chat.host.view) {
        this.#waiting.shift()
        this.#posted.failed(text, error.message.replace(/^failed to send message: /, ''))
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
