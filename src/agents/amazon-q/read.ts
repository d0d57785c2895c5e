import type { Item, Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { inPlace, withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { conversationRecords } from '../_shared/conversation-rows.ts'
import { conversationTranslator, type StateRecord } from '../_shared/conversation-state.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const records = withNativeDatabase(
    head.path,
    (database) => conversationRecords(database, 'conversations', head, reading),
    inPlace,
  )
  return translate(head, records as Iterable<Keyed<StateRecord> | Problem>, conversationTranslator(), reading)
}
