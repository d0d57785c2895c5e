/** A piece of what was said or done, in the order in which it was. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly tool_use_id: string
      readonly content: string
      readonly is_error: boolean
      /** It is longer than this; `GET /messages/<id>` has all of it. */
      readonly truncated?: true
    }
  | { readonly type: 'note'; readonly subtype: string; readonly text: string }

export type Role = 'user' | 'agent'

/** A message before it has its number. */
export interface Draft {
  /** The same at each reading of the transcript. */
  readonly key: string
  readonly role: Role
  /** All texts, joined by a blank line. */
  readonly content: string
  /** When it began. */
  readonly time: string
  readonly parts: readonly Part[]
  /** Nothing more comes: for an agent's message, its turn is over. */
  readonly done: boolean
}

export interface Message extends Omit<Draft, 'key'> {
  readonly id: number
}

/** A prompt of the user alone. */
export function saidBy(role: Role, text: string): Pick<Draft, 'role' | 'content' | 'parts' | 'done'> {
  return { role, content: text, parts: [{ type: 'text', text }], done: true }
}

/** As `GET /messages` gives it: AgentAPI's fields, and ours after them. */
export function messageJson({ id, content, role, time, parts, done }: Message): object {
  return { id, content, role, time, parts, done }
}

/** The same as an event, where AgentAPI has another name for the text. */
export function messageUpdateJson({ id, content, role, time, parts, done }: Message): object {
  return { id, role, message: content, time, parts, done }
}
