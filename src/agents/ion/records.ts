import { FORMAT_VERSION } from '../../events/format-version.ts'
import { migrate } from '../../events/migrate.ts'
import type { EventType, IonEvent } from '../../events/schema.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asCount, asString } from '../../native/narrow.ts'

type Check = (event: JsonObject) => boolean

const anything: Check = () => true
const hasText: Check = (event) => typeof event.content === 'string'
const hasBlocks: Check = (event) => asArray(event.content) !== undefined
const hasContent: Check = (event) => hasText(event) || hasBlocks(event)

/**
 * What every reader of events relies on, by type. The full schema is checked where events are written; here the log is Ion's
 * own, and a list of thousands of sessions must not wait for it.
 */
const checks: Readonly<Record<EventType, Check>> = {
  session_start: (event) => asString(event.session_id) !== undefined && asString(event.agent) !== undefined,
  user: hasContent,
  assistant: hasBlocks,
  thinking: hasText,
  tool_use: (event) => typeof event.name === 'string',
  tool_result: (event) => typeof event.tool_use_id === 'string' && hasContent(event),
  compaction: (event) => typeof event.summary === 'string' && asArray(event.replaces) !== undefined,
  system: (event) => typeof event.subtype === 'string',
  native: anything,
  session_end: anything,
}

/** The version of a log, from its first line; throws when that is not a header, or one of a newer Ion. */
export function versionOf(header: JsonObject): number {
  const version = asCount(header.v)
  if (header.type !== 'session_start' || version === undefined) throw new Error('the first line is not a header')
  // Throws with what to do when the version is not ours.
  migrate(header, version)
  return version
}

/** The event as it is in the log; one of an unknown type becomes `native`. Throws for anything that is not an event. */
export function toEvent(record: JsonObject, version: number): IonEvent {
  const event = version === FORMAT_VERSION ? record : migrate(record, version)
  const { type, id, parent_id = null, seq, timestamp } = event
  if (typeof type !== 'string') throw new Error('an event without a type')
  if (typeof id !== 'string' || id === '') throw new Error('an event without an id')
  if (asCount(seq) === undefined) throw new Error('an event without a seq')
  if (typeof timestamp !== 'string') throw new Error('an event without a timestamp')
  if (!Object.hasOwn(checks, type)) return { type: 'native', seq, id, parent_id, timestamp, record } as IonEvent
  if (!checks[type as EventType](event)) throw new Error(`an event of type ${type} without what it says`)
  return event as IonEvent
}
