import { type Item, isNonRecord, type NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { JsonLine } from '../../native/json-lines.ts'
import { asCount, asObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Draft, draftId } from '../../native/sequencer.ts'
import { type Keyed, type ToDrafts, translate } from '../../native/translate.ts'
import { uncountedIn } from '../../native/usage.ts'
import { draftsOf, newMemory } from './drafts.ts'
import { ancestors, isAfter } from './lineage.ts'
import { eventText, newPairing, pair, pairRole } from './pairing.ts'
import { type CodexRecord, keyOf, payloadOf } from './records.ts'
import { isCompressed, rolloutLines } from './rollout-file.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  const notes: Notes = { alone: new WeakSet() }
  const records = pairMessages(conversation(head.path, reading), notes)
  return translate(head, records, codexTranslator(notes, reading), reading)
}

/** What is known about a record beyond its content. */
interface Notes {
  /** A message event without its response item. */
  readonly alone: WeakSet<CodexRecord>
}

type Records = Generator<Keyed<CodexRecord> | NonRecord>

/** All records of the conversation: for a fork first those of the previous sessions, with the keys they have there. */
function* conversation(path: string, reading: ReadContext): Records {
  const { line: before, problem } = ancestors(path, reading)
  if (problem) yield problem
  for (const ancestor of before) {
    for (const line of rolloutLines(ancestor.path, reading)) {
      if (isNonRecord(line)) yield line
      else if (isAfter(line, ancestor)) break
      else yield keyed(line, ancestor.path)
    }
  }
  for (const line of rolloutLines(path, reading)) yield isNonRecord(line) ? line : keyed(line, path)
}

function keyed({ record, span }: JsonLine, path: string): Keyed<CodexRecord> {
  return { record, key: keyOf(record, span.offset), ...(isCompressed(path) ? {} : { span }) }
}

/** Holds each message event back until it is known whether its response item exists too. */
function* pairMessages(records: Records, notes: Notes): Records {
  const pairing = newPairing<Keyed<CodexRecord>>()
  const alone = (item: Keyed<CodexRecord>): Keyed<CodexRecord> => {
    notes.alone.add(item.record)
    return item
  }
  for (const item of records) {
    const role = isNonRecord(item) ? undefined : pairRole(item.record)
    if (!role) {
      yield item
      continue
    }
    const found = pair(pairing, role, item as Keyed<CodexRecord>)
    yield* found.alone.map(alone)
    if (found.paired) yield found.paired
    if (!found.held) yield item
  }
  yield* pairing.waiting.map((entry) => alone(entry.value))
}

function codexTranslator(notes: Notes, reading: ReadContext): ToDrafts<CodexRecord> {
  const memory = newMemory()
  const turns = new Turns()
  return (record, key) => {
    if (notes.alone.has(record)) return [aloneDraft(record)]
    const noteUncounted = reading.onUncounted && uncountedIn(reading, key, record.timestamp)
    return turns.attach(key, draftsOf(record, memory, noteUncounted), rolledBack(record))
  }
}

/** How many turns the user took back; 0 for any other record. */
function rolledBack(record: CodexRecord): number {
  const payload = record.type === 'event_msg' ? payloadOf(record) : {}
  return payload.type === 'thread_rolled_back' ? (asCount(payload.num_turns) ?? 0) : 0
}

/** What follows turns that were taken back is another branch: it continues before the first of them. */
class Turns {
  /** The event before each prompt. */
  readonly #before: (string | null)[] = []
  #last: string | null = null
  #next: string | null | undefined

  attach(key: string, drafts: Draft[] | undefined, back: number): Draft[] | undefined {
    const parent = this.#next
    if (!drafts || drafts.length === 0) {
      if (!drafts && parent === undefined) this.#last = key
      return drafts
    }
    if (drafts.some(({ type }) => type === 'user')) this.#before.push(parent === undefined ? this.#last : parent)
    this.#last = draftId(drafts.at(-1)!.id, key, drafts.length - 1)
    this.#next = back > 0 ? (this.#before.splice(-back)[0] ?? null) : undefined
    return parent === undefined ? drafts : drafts.with(0, { ...drafts[0]!, parent_id: parent })
  }
}

/** Kept, but not as a message: it was never in the model's history. */
function aloneDraft(record: CodexRecord): Draft {
  const payload = payloadOf(record)
  const type = asObject(payload.item)?.type ?? payload.type
  const subtype = type === 'UserMessage' || type === 'user_message' ? 'unpaired_user_message' : 'unpaired_agent_message'
  return { type: 'system', subtype, content: eventText(payload) ?? '', time: record.timestamp }
}
