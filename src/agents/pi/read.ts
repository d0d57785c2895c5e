import { type Item, isNonRecord, type NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { type Keyed, type ToDrafts, translate } from '../../native/translate.ts'
import { draftsOf, type PiRecord } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  return translate(head, records(head.path, reading), treeTranslator(), reading)
}

function* records(path: string, reading: ReadContext): Generator<Keyed<PiRecord> | NonRecord> {
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) yield line
    else yield { record: line.record, key: asString(line.record.id) || `@${line.span.offset}`, span: line.span }
  }
}

/**
 * The order is that of the file, the parents are those of the tree. A record without events passes its children on to its
 * own parent.
 */
function treeTranslator(): ToDrafts<PiRecord> {
  const lastEvents = new Map<string, string>()
  return (record, key) => {
    const drafts = draftsOf(record)
    const parent = typeof record.parentId === 'string' ? lastEvents.get(record.parentId) : undefined
    const event = drafts ? lastEvent(drafts, key, parent) : key
    if (event !== undefined && record.type !== 'session') lastEvents.set(key, event)
    return drafts?.map((draft, index) => ({
      ...draft,
      time: record.timestamp,
      ...(index === 0 && parent !== undefined ? { parent_id: parent } : {}),
    }))
  }
}

function lastEvent(drafts: readonly Draft[], key: string, parent: string | undefined): string | undefined {
  const last = drafts.at(-1)
  return last ? (last.id ?? (drafts.length === 1 ? key : `${key}.${drafts.length - 1}`)) : parent
}
