import type { IonEvent, SessionStart } from '../events/event.ts'
import { isUuid } from '../events/id.ts'
import { END_OF_AVAILABLE, isProblem } from '../events/item.ts'
import { parseEvent } from '../events/log-line.ts'
import { HashSet } from '../native/hash-set.ts'
import { type JsonLine, readJsonLines, tornLine } from '../native/json-lines.ts'
import { readContext } from '../native/read-context.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'

/** A canonical log from another machine or program, every line of which was checked. */
export interface CheckedLog {
  readonly start: SessionStart
  /** The file ends in the middle of this line, which is not one of the events. */
  readonly truncated?: { readonly line: number; readonly bytes: number }
  /** Reads the file again: it may not fit into memory. */
  events(): Iterable<IonEvent>
}

/** Checks a log line by line. Throws at the first invalid line, with its number and what is wrong. */
export function checkLog(path: string, io: Io): CheckedLog {
  const ids = new HashSet()
  let start: SessionStart | undefined
  let last = -1
  let end = { line: 1, offset: 0 }
  for (const [event, { line, span }] of eventsOf(path, io)) {
    if (!start) start = headerOf(event, path)
    else if (event.type === 'session_start') throw invalid(path, line, 'a second session_start')
    if (event.seq <= last) throw invalid(path, line, `seq ${event.seq} after ${last}`)
    if (!ids.add(event.id)) throw invalid(path, line, `duplicate id "${event.id}"`)
    last = event.seq
    end = { line, offset: span.offset + span.length }
  }
  const torn = tornLine(path, readContext(io), end.offset)
  if (!start && torn) throw invalid(path, 1, `${NO_LOG}, or one that is truncated in its first line`)
  if (!start)
    throw new IonError('usage', `${path} is empty`, { hint: 'give a log that ion export --format jsonl wrote' })
  const truncated = torn ? { truncated: { line: end.line - 1 + torn.line, bytes: torn.bytes } } : {}
  return { start, ...truncated, events: () => onlyEvents(path, io) }
}

const NO_LOG = 'not a session log (JSON Lines)'

function* onlyEvents(path: string, io: Io): Generator<IonEvent> {
  for (const [event] of eventsOf(path, io)) yield event
}

function* eventsOf(path: string, io: Io): Generator<[event: IonEvent, line: JsonLine]> {
  let version: number | undefined
  for (const line of readJsonLines(path, readContext(io))) {
    if (line === END_OF_AVAILABLE) continue
    if (isProblem(line)) {
      const isOther = line.code === 'not_json' && version === undefined
      throw invalid(path, line.line, isOther ? NO_LOG : line.problem)
    }
    const { v } = line.record
    version ??= typeof v === 'number' ? v : undefined
    if (version === undefined) throw invalid(path, line.line, 'not a session_start with a version')
    let event: IonEvent
    try {
      event = parseEvent(line.record, version)
    } catch (error) {
      throw invalid(path, line.line, messageOf(error))
    }
    yield [event, line]
  }
}

function headerOf(event: IonEvent, path: string): SessionStart {
  if (event.type !== 'session_start') throw invalid(path, 1, 'not a session_start')
  if (!isUuid(event.session_id)) throw invalid(path, 1, `session_id "${event.session_id}" is not a UUID`)
  return event
}

function invalid(path: string, line: number | undefined, what: string): IonError {
  const where = line === undefined ? path : `line ${line} of ${path}`
  return new IonError('usage', `${where}: ${what}; nothing was imported`, {
    hint: 'give a log that ion export --format jsonl wrote, an ATIF document, or a state file of agentapi',
  })
}
