import { isNonRecord, type NonRecord } from '../events/item.ts'
import { type JsonObject, readJsonLines } from './json-lines.ts'
import { asString } from './narrow.ts'
import type { ReadContext } from './read-context.ts'
import type { Keyed } from './translate.ts'

/** The records of a JSON Lines file for `translate`, by their own id; without one by their offset, since such files only grow. */
export function* keyedLines<R = JsonObject>(
  path: string,
  reading: ReadContext,
  idOf?: (record: R) => unknown,
): Generator<Keyed<R> | NonRecord> {
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) yield line
    else {
      const record = line.record as R
      yield { record, key: asString(idOf?.(record)) || `@${line.span.offset}`, span: line.span }
    }
  }
}
