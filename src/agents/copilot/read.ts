import type { Item } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { RecordTree } from '../../native/record-tree.ts'
import { keyedLines, type ToDrafts, translate } from '../../native/translate.ts'
import { uncountedIn } from '../../native/usage.ts'
import { draftsOf, newMemory } from './drafts.ts'
import type { CopilotRecord } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = keyedLines<CopilotRecord>(head.path, reading, (record) => record.id)
  return translate(head, records, copilotTranslator(reading), reading)
}

/**
 * The order is that of the file. A record's parent is followed only where it was seen: nearly always it is the line
 * before, but two programs may write to one session, and the trace of a summary refers to records that were never written.
 */
function copilotTranslator(reading: ReadContext): ToDrafts<CopilotRecord> {
  const memory = newMemory()
  const tree = new RecordTree()
  return (record, key) => {
    const sub_agent = asString(record.agentId)
    const noteUncounted = reading.onUncounted && uncountedIn(reading, key, record.timestamp)
    const drafts = draftsOf(record, memory, noteUncounted) ?? [{ type: 'native', record }]
    return tree.attach(key, asString(record.parentId), drafts).map((draft) => ({
      ...draft,
      time: record.timestamp,
      ...(sub_agent ? { sub_agent } : {}),
    }))
  }
}
