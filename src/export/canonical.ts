import type { IonEvent } from '../events/schema.ts'
import { toJsonText } from '../platform/json-text.ts'

/** The canonical log: one event per line, which reads back equal. */
export function* toJsonl(events: Iterable<IonEvent>): Generator<string> {
  for (const event of events) yield `${stringify(event)}\n`
}

/** One object with the session's header and its events, written as it is read. */
export function* toJson(events: Iterable<IonEvent>): Generator<string> {
  let before = ''
  for (const event of events) {
    if (before === '') {
      yield `{"session":${toJsonText(headerOf(event))},"events":[\n`
      before = '  '
    }
    yield `${before}${stringify(event)}`
    before = ',\n  '
  }
  yield before === '' ? '{"session":null,"events":[]}\n' : '\n]}\n'
}

/** The fields of session_start, without its position in the log. */
function headerOf(first: IonEvent): unknown {
  if (first.type !== 'session_start') return null
  const { type: _type, seq: _seq, id: _id, parent_id: _parent, timestamp, timestamp_guessed: _guessed, ...rest } = first
  return { ...rest, created_at: timestamp }
}

const TOO_DEEP = '[nested too deep to be written as JSON]'

/** JSON.parse accepts deeper nesting than JSON.stringify. A value that is too deep is replaced by a note. */
function stringify(event: IonEvent): string {
  try {
    return toJsonText(event)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (event.type === 'tool_use') return toJsonText({ ...event, input: TOO_DEEP })
    if (event.type === 'native') return toJsonText({ ...event, record: TOO_DEEP })
    return toJsonText({ ...event, content: TOO_DEEP })
  }
}
