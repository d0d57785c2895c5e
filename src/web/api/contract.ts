import type { Status as FullStatus, Message } from '../../server/contract.ts'

export type {
  AgentError,
  Answer,
  HandoverTarget,
  Message,
  MessagePreview,
  Part,
  Replica,
  SearchMatch,
  ToolResult,
  ToolUse,
} from '../../server/contract.ts'

/** An AgentAPI server sends less than `ion serve`. */
export type Status = Pick<FullStatus, 'status'> & Partial<FullStatus>

/** A message of `GET /messages` or of a `message_update`; AgentAPI sends no parts, only the text. */
export function messageOf(value: unknown): Message | undefined {
  const fields = value as Partial<Message> & { readonly message?: unknown }
  if (typeof fields?.id !== 'number') return undefined
  const content = String(fields.content ?? fields.message ?? '')
  return {
    id: fields.id,
    role: fields.role === 'user' ? 'user' : 'agent',
    content,
    time: String(fields.time ?? ''),
    parts: Array.isArray(fields.parts) ? fields.parts : [{ type: 'text', text: content }],
    done: fields.done !== false,
  }
}
