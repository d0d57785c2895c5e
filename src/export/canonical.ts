import type { IonEvent } from '../events/schema.ts'

/** The canonical log: one event a line, which reads back equal. */
export function* toJsonl(events: Iterable<IonEvent>): Generator<string> {
  for (const event of events) yield `${stringify(event)}\n`
}

/** One object: what the session is, then its events. Written as it is read, so it is as large as it must be. */
export function* toJson(events: Iterable<IonEvent>): Generator<string> {
  let before = ''
  for (const event of events) {
    if (before === '') {
      yield `{"session":${JSON.stringify(headerOf(event))},"events":[\n`
      before = '  '
    }
    yield `${before}${stringify(event)}`
    before = ',\n  '
  }
  yield before === '' ? '{"session":null,"events":[]}\n' : '\n]}\n'
}

/** A log begins with session_start; its fields without those that only place it in the log. */
function headerOf(first: IonEvent): unknown {
  if (first.type !== 'session_start') return null
  const { type: _type, seq: _seq, id: _id, parent_id: _parent, timestamp, timestamp_guessed: _guessed, ...rest } = first
  return { ...rest, created_at: timestamp }
}

const TOO_DEEP = '[nested too deep to be written as JSON]'

/** JSON can be read deeper than it can be written. What is too deep says so; the rest of the log must not suffer. */
function stringify(event: IonEvent): string {
  try {
    return JSON.stringify(event)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (event.type === 'tool_use') return JSON.stringify({ ...event, input: TOO_DEEP })
    if (event.type === 'native') return JSON.stringify({ ...event, record: TOO_DEEP })
    return JSON.stringify({ ...event, content: TOO_DEEP })
  }
}
