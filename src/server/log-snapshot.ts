import { toJsonText } from '../platform/json-text.ts'
import type { StoredMessage } from './chat-state.ts'
import { shortened } from './message.ts'

const MAX_MESSAGES = 30
/** Coder accepts no more. */
const MAX_BYTES = 64 * 1024
/** The rest of the only message, and what is around it. */
const RESERVED_BYTES = 1024

/**
 * The end of a chat as Coder stores it to show it while a workspace is stopped: `{"messages": […]}` as `GET /messages` has
 * them, without Ion's additions. Whole messages, newest first, as many as fit; the last one is shortened if it does not.
 */
export function logSnapshot(messages: readonly StoredMessage[]): string {
  const kept: string[] = []
  let size = Buffer.byteLength(snapshotOf(kept))
  for (const message of messages.slice(-MAX_MESSAGES).reverse()) {
    const json = messageText(message)
    size += Buffer.byteLength(json) + 1
    if (size > MAX_BYTES) {
      if (kept.length === 0) kept.push(messageText(message, MAX_BYTES - RESERVED_BYTES))
      break
    }
    kept.unshift(json)
  }
  return snapshotOf(kept)
}

function snapshotOf(messages: readonly string[]): string {
  return `{"messages":[${messages.join(',')}]}`
}

/** Without NUL, which Coder's database does not store. */
function messageText({ id, message, role, time }: StoredMessage, maxBytes = Number.POSITIVE_INFINITY): string {
  const content = shortened(message.replaceAll('\0', ''), maxBytes, "the agent's session has all of it")
  return toJsonText({ id, content, role, time })
}
