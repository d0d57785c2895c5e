import type { Status as FullStatus, Message } from '../../server/contract.ts'

export type { AgentError, Message, Part, SearchMatch, ToolResult, ToolUse } from '../../server/contract.ts'

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

/** What the agent asks. */
export interface Question {
  readonly id: string
  readonly text: string
  readonly details: string
  /** Empty if only the terminal can answer. */
  readonly choices: readonly { readonly key: string; readonly label: string }[]
}

/** `waiting_for` of a status; an older server names only the dialog. */
export function questionOf(value: unknown): Question | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'object') return { id: '', text: String(value), details: '', choices: [] }
  const { id = '', text = '', details = '', choices = [] } = value as Partial<Question>
  return { id, text, details, choices }
}
