import type { Message, MessageUpdate, Part, Role } from './contract.ts'

/** A message before it has an id. */
export interface Draft extends Omit<Message, 'id'> {
  /** The same each time the transcript is read. */
  readonly key: string
}

/** A complete message that is plain text. */
export function textMessage(role: Role, text: string): Pick<Draft, 'role' | 'content' | 'parts' | 'done'> {
  return { role, content: text, parts: [{ type: 'text', text }], done: true }
}

/** As `GET /messages` returns it: AgentAPI's fields first, then ours. */
export function messageJson({ id, content, role, time, parts, done }: Message): Message {
  return { id, content, role, time, parts, done }
}

/** As an event, where AgentAPI calls the text `message`. */
export function messageUpdateJson({ id, content, role, time, parts, done }: Message): MessageUpdate {
  return { id, role, message: content, time, parts, done }
}

/** Whether a reader would see no difference. Called for every message after every change, so identity is tried first. */
export function isSameMessage(a: Message, b: Message): boolean {
  return (
    a.id === b.id &&
    a.done === b.done &&
    a.time === b.time &&
    a.role === b.role &&
    a.parts.length === b.parts.length &&
    a.content === b.content &&
    (a.parts === b.parts || a.parts.every((part, index) => isSamePart(part, b.parts[index]!)))
  )
}

function isSamePart(a: Part, b: Part): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
