import { migrate } from './migrate.ts'
import { eventSchema, type IonEvent } from './schema.ts'

/** The event of a parsed line, migrated to the current version; throws with the field that is wrong. */
export function parseEvent(value: unknown, version: number): IonEvent {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('not a JSON object')
  const event = migrate(value as Record<string, unknown>, version)
  const result = eventSchema.safeParse(event)
  if (!result.success) {
    const issue = result.error.issues[0]
    throw new Error(`${issue?.path.join('.') || 'event'}: ${issue?.message ?? 'not an event'}`)
  }
  // The value itself, not zod's copy, which would lose the fields of a later version.
  return event as IonEvent
}
