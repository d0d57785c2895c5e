import { type Item, isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asArray, asObject, asString, requireObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { type Keyed, type ToDrafts, translate } from '../../native/translate.ts'
import { type Memory, requestDrafts, responseDrafts } from './drafts.ts'
import { type Fields, readSession } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  return translate(head, items(head.path, reading), auggieTranslator(), reading)
}

/** The file is one JSON value, so all of it is parsed. */
function* items(path: string, reading: ReadContext): Generator<Keyed<unknown> | Problem> {
  const session = readSession(path, reading)
  if (isProblem(session)) {
    reading.coverage.bad++
    yield session
    return
  }
  const history = asArray(session.chatHistory)
  if (!history) yield { code: 'invalid_record', problem: 'not a session: chatHistory is not an array', path }
  for (const [index, record] of (history ?? []).entries()) {
    const item = asObject(record)
    // Items that Auggie never sent have no request id; the history only grows, so their index will do.
    yield { record, key: asString(asObject(item?.exchange)?.request_id) || `item-${index + 1}` }
  }
}

function auggieTranslator(): ToDrafts<unknown> {
  const memory: Memory = { folder: undefined }
  return (record) => {
    const item = asObject(record)
    return item?.exchange === undefined ? undefined : itemDrafts(item, requireObject(item.exchange, 'exchange'), memory)
  }
}

function itemDrafts(item: Fields, exchange: Fields, memory: Memory): Draft[] {
  const responses = responseDrafts(exchange)
  const requests = requestDrafts(exchange, item.isHistorySummary === true, memory)
  const { finishedAt } = item
  // The time of a prompt is not recorded; the first part of the answer has the nearest time.
  const near = responses.find((draft) => draft.time !== undefined)?.time ?? finishedAt
  return [
    ...requests.map((draft) => (draft.time === undefined ? { ...draft, time: near, guessed: true } : draft)),
    ...responses.map((draft) => ({ ...draft, time: draft.time ?? finishedAt })),
    ...afterwards(item).map((draft) => ({ ...draft, time: finishedAt })),
  ]
}

/** On a resume Auggie silently leaves out an item that is not completed. */
function afterwards(item: Fields): Draft[] {
  const drafts: Draft[] = []
  if (asArray(item.changedFiles)?.length) {
    drafts.push({ type: 'system', subtype: 'changed_files', content: item.changedFiles })
  }
  if (item.completed !== true) drafts.push({ type: 'system', subtype: 'interrupted', content: null })
  return drafts
}
