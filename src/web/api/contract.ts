/** What the server says, as far as the page uses it: AgentAPI's shapes and what `ion serve` adds to them. */
export interface Status {
  readonly status: 'stable' | 'running'
  readonly agent_type?: string
  readonly agent?: string
  readonly task?: string
  readonly session_id?: string | null
  readonly title?: string | null
  /** What the agent asks on its screen ("trust dialog"); it goes on when that is answered. */
  readonly waiting_for?: string | null
  /** The exit code once the agent has ended. */
  readonly exited?: number | null
  readonly version?: string
}

export interface ToolUse {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface ToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string
  readonly is_error: boolean
  /** The server cut it; `GET /messages/:id` has all of it. */
  readonly truncated?: true
}

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | ToolUse
  | ToolResult
  | { readonly type: 'note'; readonly subtype: string; readonly text: string }

export interface Message {
  readonly id: number
  readonly role: 'user' | 'agent'
  readonly content: string
  readonly time: string
  readonly parts: readonly Part[]
  /** False while the agent is still at it. */
  readonly done: boolean
}

export interface Match {
  readonly id: number
  readonly role: 'user' | 'agent'
  readonly snippet: string
}

export interface AgentError {
  readonly message: string
  readonly level: string
  readonly time: string
}

/** A message as `GET /messages` or a `message_update` gives it; an AgentAPI without parts has its text only. */
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
