import type { parseEvent } from '../events/log-line.ts'
import type { EventSchema } from '../events/schema.ts'

export interface EventSchemas {
  /** Judges a value of the present version. A zod schema. */
  readonly eventSchema: EventSchema
  /** The event of one parsed line of a log of that format version, brought up to the present one; throws with the field that is wrong. */
  readonly parseEvent: typeof parseEvent
}

/** The schema of the events, for those who take them from elsewhere. Loaded only here: reading sessions needs none of it. */
export async function loadEventSchema(): Promise<EventSchemas> {
  const [{ eventSchema }, { parseEvent }] = await Promise.all([
    import('../events/schema.ts'),
    import('../events/log-line.ts'),
  ])
  return { eventSchema, parseEvent }
}
