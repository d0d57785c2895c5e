import type { Item } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordTree } from '../../native/record-tree.ts'
import { keyedLines, type ToDrafts, translate } from '../../native/translate.ts'
import { draftsOf, type PiRecord } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = keyedLines<PiRecord>(head.path, reading, (record) => record.id)
  return translate(head, records, piTranslator(), reading)
}

/** The order is that of the file, the parents are those of the tree. */
function piTranslator(): ToDrafts<PiRecord> {
  const tree = new RecordTree()
  return (record, key) => {
    const drafts = draftsOf(record) ?? [{ type: 'native', record }]
    return tree.attach(key, asString(record.parentId), drafts).map((draft) => ({ ...draft, time: record.timestamp }))
  }
}
