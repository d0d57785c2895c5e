import { FORMAT_VERSION } from '../../events/format-version.ts'
import { type Item, isProblem } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { type JsonLine, readJsonLines } from '../../native/json-lines.ts'
import type { Reading } from '../../native/reading.ts'
import { messageOf } from '../../platform/error.ts'
import { toEvent, versionOf } from './records.ts'

/** The stored events as they are: ids, order, parents and times were settled when they were written. */
export function* read(head: SessionHead, reading: Reading): Generator<Item> {
  let version: number | undefined
  for (const line of readJsonLines(head.path, reading)) {
    if (isProblem(line)) {
      yield line
      continue
    }
    const place = { path: head.path, line: line.line, offset: line.span.offset }
    if (version === undefined) {
      try {
        version = versionOf(line.record)
      } catch (error) {
        yield { problem: messageOf(error), ...place }
        // A log of a newer Ion is not read by halves; one that has lost its header still has the rest.
        if (line.record.type === 'session_start') return
        version = FORMAT_VERSION
      }
    }
    try {
      yield { event: counted(line, version, reading), span: line.span }
    } catch (error) {
      reading.coverage.bad++
      yield { problem: messageOf(error), ...place }
    }
  }
}

function counted(line: JsonLine, version: number, reading: Reading): IonEvent {
  const event = toEvent(line.record, version)
  if (event.type === 'native') reading.coverage.native++
  else reading.coverage.known++
  return event
}
