import type { Agent } from '../agents/agent.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import type { Message, Part } from './message.ts'

const STRETCH_MS = 10

/** A message with its results uncut, read once more from the store; as it is where they are no longer there. */
export async function wholeMessage(message: Message, agent: Agent, head: SessionHead, io: Io): Promise<Message> {
  const missing = new Set(message.parts.flatMap((part) => (isCut(part) ? [part.tool_use_id] : [])))
  if (missing.size === 0) return message
  const found = new Map<string, string>()
  let until = performance.now() + STRETCH_MS
  for (const item of agent.read(head, readContext(io))) {
    if (!isProblem(item) && item.event.type === 'tool_result' && missing.has(item.event.tool_use_id)) {
      found.set(item.event.tool_use_id, contentText(item.event.content))
      if (found.size === missing.size) break
    }
    if (performance.now() < until) continue
    await new Promise((resolve) => setImmediate(resolve))
    until = performance.now() + STRETCH_MS
  }
  return { ...message, parts: message.parts.map((part) => uncut(part, found)) }
}

function isCut(part: Part): part is Part & { type: 'tool_result' } {
  return part.type === 'tool_result' && part.truncated === true
}

function uncut(part: Part, found: ReadonlyMap<string, string>): Part {
  const content = isCut(part) ? found.get(part.tool_use_id) : undefined
  if (content === undefined || !isCut(part)) return part
  const { truncated: _, ...whole } = part
  return { ...whole, content }
}
