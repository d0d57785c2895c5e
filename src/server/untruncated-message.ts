import type { Agent } from '../agents/agent.ts'
import { isEvent } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { Pace } from '../platform/pace.ts'
import type { Message, Part, ToolResult } from './contract.ts'

/** A message with its tool results in full, read again from the agent's store; unchanged where they no longer exist. */
export async function untruncatedMessage(message: Message, agent: Agent, head: SessionHead, io: Io): Promise<Message> {
  const missing = new Set(message.parts.flatMap((part) => (isTruncated(part) ? [part.tool_use_id] : [])))
  if (missing.size === 0) return message
  const found = new Map<string, string>()
  const pace = new Pace(undefined)
  for (const item of agent.read(head, readContext(io))) {
    if (isEvent(item) && item.event.type === 'tool_result' && missing.has(item.event.tool_use_id)) {
      found.set(item.event.tool_use_id, contentText(item.event.content))
      if (found.size === missing.size) break
    }
    if (pace.isDue) await pace.turn()
  }
  return { ...message, parts: message.parts.map((part) => untruncated(part, found)) }
}

function isTruncated(part: Part): part is ToolResult {
  return part.type === 'tool_result' && part.truncated === true
}

function untruncated(part: Part, found: ReadonlyMap<string, string>): Part {
  const content = isTruncated(part) ? found.get(part.tool_use_id) : undefined
  if (content === undefined || !isTruncated(part)) return part
  const { truncated: _, ...result } = part
  return { ...result, content }
}
