import type { Item, NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { withNativeDatabase } from '../../native/database.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import { conversation } from './conversation.ts'
import { storeDrafts } from './drafts.ts'
import { messageDrafts } from './messages.ts'
import type { StoreRecord } from './records.ts'
import { blockDrafts, textBlocks } from './text-transcript.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const { path } = head
  if (head.format === 'store') {
    const records = withNativeDatabase(path, (database) => conversation(database, path, reading))
    return translate(head, records as Iterable<Keyed<StoreRecord> | NonRecord>, storeDrafts, reading)
  }
  // A transcript has no times: the file's is better than none.
  const dated = { ...head, created_at: head.created_at ?? head.updated_at }
  if (head.format === 'transcript-text') return translate(dated, textBlocks(path, reading), blockDrafts, reading)
  return translate(dated, keyedLines(path, reading), lineDrafts, reading)
}

function lineDrafts(record: JsonObject, key: string): readonly Draft[] | undefined {
  if (record.type === 'error') return [{ type: 'system', subtype: 'api_error', content: record }]
  if (record.type === 'turn_ended') return turnEndedDrafts(record)
  const message = asObject(record.message)
  return message && messageDrafts({ role: record.role, content: message.content }, key)
}

/** The last line, once a turn has ended. A turn that ended well has nothing to report. */
function turnEndedDrafts(record: JsonObject): readonly Draft[] | undefined {
  switch (record.status) {
    case 'success':
      return []
    case 'aborted':
      return [{ type: 'system', subtype: 'interrupted', content: record }]
    case 'error':
      return [{ type: 'system', subtype: 'api_error', content: record }]
    default:
      return undefined
  }
}
