import { toJsonText } from '../platform/json-text.ts'
import type { ListedMessage, Message, MessageUpdate, Part, Role } from './contract.ts'
import type { EventForm } from './event-stream.ts'

/** A message before it has an id. */
export interface Draft extends Omit<Message, 'id'> {
  /** The same each time the transcript is read. */
  readonly key: string
}

/** A complete message that is plain text. */
export function textMessage(role: Role, text: string): Pick<Draft, 'role' | 'content' | 'parts' | 'done'> {
  return { role, content: text, parts: [{ type: 'text', text }], done: true }
}

/** As `GET /messages` returns it: AgentAPI's fields first, then ours; the parts only with `full=true`. */
export function messageJson({ id, content, role, time, parts, done }: Message, form: EventForm): ListedMessage {
  return { id, content, role, time, ...(form === 'full' ? { parts } : {}), done }
}

/** As an event, where AgentAPI calls the text `message`. */
export function messageUpdateJson({ id, content, role, time, parts, done }: Message): MessageUpdate {
  return { id, role, message: content, time, parts, done }
}

/** AgentAPI's Go client reads lines of up to 128 KiB, including the name of the field. */
const MAX_LINE = 120 * 1024

/** The event for clients of AgentAPI: without parts, and short enough for them. */
export function agentapiUpdateJson({ id, content, role, time, done }: Message): Omit<MessageUpdate, 'parts'> {
  return { id, role, message: shortened(content, MAX_LINE, `GET /messages/${id} has all of it`), time, done }
}

/** The same, with what the agent is writing and has not stored. */
export function previewUpdateJson(message: Message, preview: string): Omit<MessageUpdate, 'parts'> {
  const content = [message.content, preview].filter((text) => text !== '').join('\n\n')
  return agentapiUpdateJson({ ...message, content, done: false })
}

/** The beginning and, since that is the answer, more of the end, of up to `maxBytes` as JSON; `where` names the rest. */
export function shortened(text: string, maxBytes: number, where: string): string {
  // No character takes more than six bytes.
  if (text.length * 6 <= maxBytes) return text
  const size = (one: string): number => Buffer.byteLength(toJsonText(one))
  const note = `\n\n[… shortened: ${where} …]\n\n`
  let result = text
  for (let kept = text.length; size(result) > maxBytes; kept = Math.floor(kept * 0.9)) {
    const end = Math.floor(kept * 0.75)
    result = text.slice(0, kept - end) + note + text.slice(-end)
  }
  return result
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
