import { type Message, messageJson } from './message.ts'

interface Block {
  readonly messages: readonly Message[]
  readonly bytes: Buffer
}

/** Messages that are written together: so many are written anew when the last of them grows. */
const BLOCK = 64

const OPENING = Buffer.from('{"messages":[')
const CLOSING = Buffer.from(']}')

/** The whole answer of `GET /messages`, in pieces that are kept: what has not changed is written once, for all who ask. */
export class WrittenMessages {
  #blocks: readonly Block[] = []

  pieces(messages: readonly Message[]): readonly Buffer[] {
    const known = this.#blocks
    this.#blocks = Array.from({ length: Math.ceil(messages.length / BLOCK) }, (_, at) => {
      const from = at * BLOCK
      const block = messages.slice(from, from + BLOCK)
      const before = known[at]
      const isSame =
        before?.messages.length === block.length && block.every((one, place) => one === before.messages[place])
      return isSame ? before : { messages: block, bytes: Buffer.from(`${at > 0 ? ',' : ''}${joined(block)}`) }
    })
    return [OPENING, ...this.#blocks.map(({ bytes }) => bytes), CLOSING]
  }
}

export function messagesJson(messages: readonly Message[]): string {
  return `${OPENING}${joined(messages)}${CLOSING}`
}

function joined(messages: readonly Message[]): string {
  return messages.map((message) => JSON.stringify(messageJson(message))).join(',')
}
