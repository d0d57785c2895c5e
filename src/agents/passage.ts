import type { IonEvent } from '../events/schema.ts'
import { eventText } from '../events/text.ts'

/** `title` is the session's name; the others come from its events. */
export const roles = ['user', 'assistant', 'thinking', 'tool', 'summary', 'title'] as const
export type Role = (typeof roles)[number]

/** A piece of a session, as indexed for search. */
export interface Passage {
  readonly role: Role
  readonly text: string
  /** ISO time. */
  readonly time: string
  /** The text was longer than what is indexed; `ion search --deep` reads the rest. */
  readonly cut: boolean
}

/** How many characters of each role are indexed: nearly everything that people say, the start of what tools print. */
export const indexedLength: Readonly<Record<Role, number>> = {
  user: 8192,
  assistant: 8192,
  thinking: 1024,
  tool: 1024,
  summary: 8192,
  title: 1024,
}

const roleByType: Partial<Record<IonEvent['type'], Role>> = {
  user: 'user',
  assistant: 'assistant',
  thinking: 'thinking',
  tool_use: 'tool',
  tool_result: 'tool',
  compaction: 'summary',
}

/** Undefined for events that are not searched. */
export function roleOf(event: IonEvent): Role | undefined {
  return roleByType[event.type]
}

export function passageOf(event: IonEvent): Passage | undefined {
  const role = roleOf(event)
  return role && makePassage(role, eventText(event), event.timestamp)
}

/** Undefined for a blank text. */
export function makePassage(role: Role, text: string, time: string): Passage | undefined {
  const limit = indexedLength[role]
  const cut = text.length > limit
  const indexed = cut ? text.slice(0, limit) : text
  return indexed.trim() === '' ? undefined : { role, text: indexed, time, cut }
}
