import type { parseEvent } from '../events/log-line.ts'
import type { EventSchema } from '../events/schema.ts'

export interface EventSchemas {
  /** A zod schema of an event in the current format version. */
  readonly eventSchema: EventSchema
  /** Migrates one parsed log line of that format version to the current one; throws an error naming the invalid field. */
  readonly parseEvent: typeof parseEvent
}

/** The schema of the events, for programs that get them from other sources. Loaded lazily: reading sessions does not need it. */
export async function loadEventSchema(): Promise<EventSchemas> {
  const [{ eventSchema }, { parseEvent }] = await Promise.all([
    import('../events/schema.ts'),
    import('../events/log-line.ts'),
  ])
  return { eventSchema, parseEvent }
}
