import type { IonEvent } from '../events/schema.ts'
import { eventText } from '../events/text.ts'
import { type Draft, draftId } from '../native/sequencer.ts'
import { toIso } from '../native/time.ts'

/** What a text of a session is. */
export const roles = ['user', 'assistant', 'thinking', 'tool', 'summary', 'title', 'tag', 'note'] as const
export type Role = (typeof roles)[number]

/** Of texts about a session that are not in its events. */
export const rolesAbout: readonly Role[] = ['title', 'tag', 'note']

/** A text of a session, as search sees it. */
export interface Passage {
  readonly role: Role
  readonly text: string
  /** ISO time; empty if the agent stored none. */
  readonly time: string
  /** The event that it is the text of. */
  readonly event: string
}

const roleByType: Partial<Record<IonEvent['type'], Role>> = {
  user: 'user',
  assistant: 'assistant',
  thinking: 'thinking',
  tool_use: 'tool',
  tool_result: 'tool',
  compaction: 'summary',
}

/** Undefined for events that are not searched, and without text. */
export function passageOf(event: IonEvent): Passage | undefined {
  const role = roleByType[event.type]
  const text = role ? eventText(event) : ''
  return role && text.trim() !== '' ? { role, text, time: event.timestamp, event: event.id } : undefined
}

/** Those of one record, by the key that the reader gives it. */
export function draftPassages(drafts: readonly Draft[], key: string, time: unknown): readonly Passage[] {
  return drafts.flatMap((draft, index) => {
    const id = draftId(draft.id, key, index)
    return passageOf({ ...draft, id, timestamp: toIso(time) ?? '' } as IonEvent) ?? []
  })
}
