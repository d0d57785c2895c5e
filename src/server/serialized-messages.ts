import { toJsonText } from '../platform/json-text.ts'
import type { Message } from './contract.ts'
import type { EventForm } from './event-stream.ts'
import { messageJson } from './message.ts'

interface Block {
  readonly messages: readonly Message[]
  readonly bytes: Buffer
}

/** Messages per block; a block is serialized again when one of them changes. */
const BLOCK = 64

const OPENING = Buffer.from('{"messages":[')
const CLOSING = Buffer.from(']}')

/** The complete answer of `GET /messages`, in cached chunks: unchanged messages are serialized once for all requests. */
export class SerializedMessages {
  readonly #form: EventForm
  #blocks: readonly Block[] = []

  constructor(form: EventForm) {
    this.#form = form
  }

  chunks(messages: readonly Message[]): readonly Buffer[] {
    const cached = this.#blocks
    this.#blocks = Array.from({ length: Math.ceil(messages.length / BLOCK) }, (_, index) => {
      const start = index * BLOCK
      const block = messages.slice(start, start + BLOCK)
      const before = cached[index]
      const isSame = before?.messages.length === block.length && block.every((one, n) => one === before.messages[n])
      return isSame
        ? before
        : { messages: block, bytes: Buffer.from(`${index > 0 ? ',' : ''}${joined(block, this.#form)}`) }
    })
    return [OPENING, ...this.#blocks.map(({ bytes }) => bytes), CLOSING]
  }
}

export function messagesJson(messages: readonly Message[], form: EventForm): string {
  return `${OPENING}${joined(messages, form)}${CLOSING}`
}

function joined(messages: readonly Message[], form: EventForm): string {
  return messages.map((message) => toJsonText(messageJson(message, form))).join(',')
}
