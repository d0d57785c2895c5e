import { type Item, isNonRecord, type NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readJsonLines } from '../../native/json-lines.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, type ToDrafts, translate } from '../../native/translate.ts'
import { draftsOf, newMemory } from './drafts.ts'
import type { CopilotRecord } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  return translate(head, keyedRecords(head.path, reading), copilotTranslator(), reading)
}

function* keyedRecords(path: string, reading: ReadContext): Generator<Keyed<CopilotRecord> | NonRecord> {
  for (const line of readJsonLines(path, reading)) {
    if (isNonRecord(line)) yield line
    else yield { record: line.record, key: asString(line.record.id) || `@${line.span.offset}`, span: line.span }
  }
}

/** How many records back a parent is looked for. Two writers of one session interleave their lines, but closely. */
const REMEMBERED = 2048

/**
 * The order is that of the file. A record's parent is followed only where it was seen: nearly always it is the line
 * before, but two programs may write to one session, and the trace of a summary points to records that nobody wrote.
 */
function copilotTranslator(): ToDrafts<CopilotRecord> {
  const memory = newMemory()
  const lastEvents = new Map<string, string>()

  return (record, key) => {
    const drafts = draftsOf(record, memory)
    const parent = lastEvents.get(asString(record.parentId) ?? '')
    // A record without events hands its children on to its own parent; an unknown one becomes one event, named by key.
    const last = drafts?.length === 0 ? parent : drafts ? lastId(drafts, key) : key
    if (last) lastEvents.set(key, last)
    if (lastEvents.size > REMEMBERED) lastEvents.delete(lastEvents.keys().next().value!)
    const sub_agent = asString(record.agentId)
    return drafts?.map((draft, index) => ({
      ...draft,
      time: record.timestamp,
      ...(sub_agent ? { sub_agent } : {}),
      ...(index === 0 && parent ? { parent_id: parent } : {}),
    }))
  }
}

function lastId(drafts: readonly { readonly id?: string | undefined }[], key: string): string {
  return drafts.at(-1)!.id ?? (drafts.length === 1 ? key : `${key}.${drafts.length - 1}`)
}
