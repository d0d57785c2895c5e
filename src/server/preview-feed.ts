import type { ChangeLog } from './change-log.ts'
import type { Message, MessagePreview } from './contract.ts'
import { SseEvent } from './event-stream.ts'
import { previewUpdateJson } from './message.ts'

/** A message that is stored, and the event that was sent for it. */
export interface SentMessage {
  readonly message: Message
  readonly update: SseEvent
}

/**
 * What the agent is writing, as readers of `/events` get it: with `full=true` as an event of its own; clients of AgentAPI
 * know only messages, so for them it is a part of the message.
 */
export class PreviewFeed {
  readonly #log: ChangeLog<SseEvent>
  readonly #now: () => Date
  #preview: MessagePreview | null = null
  /** The message that it was sent with; undefined if that is not stored yet. */
  #message: Message | undefined

  constructor(log: ChangeLog<SseEvent>, now: () => Date) {
    this.#log = log
    this.#now = now
  }

  get current(): MessagePreview | null {
    return this.#preview
  }

  /** `find`: the message with an id, if it is stored. Returns whether something was sent. */
  set(preview: MessagePreview | null, find: (id: number) => SentMessage | undefined): boolean {
    const shown = this.#preview
    const { id, text } = preview ?? { id: shown?.id ?? 0, text: '' }
    const sent = find(id)
    const isSameMessage = sent?.message === this.#message
    if (shown?.id === preview?.id && shown?.text === preview?.text && (isSameMessage || !preview)) return false
    this.#preview = preview
    this.#message = preview ? sent?.message : undefined
    // Clients of AgentAPI have the message with its preview; when it has none any more, they get it as it is stored.
    if (!preview && sent && isSameMessage) this.#log.put(`message ${id}`, sent.update)
    this.#log.put('preview', previewEvent(id, text))
    this.#log.put('preview in its message', this.#updateEvent())
    return true
  }

  /** For a new reader. */
  events(): SseEvent[] {
    return this.#preview ? [previewEvent(this.#preview.id, this.#preview.text), this.#updateEvent()] : []
  }

  #updateEvent(): SseEvent {
    const preview = this.#preview
    const begun = { role: 'agent', content: '', time: this.#now().toISOString(), parts: [], done: false } as const
    const message = this.#message ?? { id: preview?.id ?? 0, ...begun }
    return new SseEvent('message_update', (form) =>
      form === 'agentapi' && preview ? previewUpdateJson(message, preview.text) : undefined,
    )
  }
}

function previewEvent(id: number, text: string): SseEvent {
  return new SseEvent('message_preview', (form) => (form === 'full' ? { id, text } : undefined))
}
