import { type Item, ReadError } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { problemOf } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { readWhole } from '../../native/window.ts'
import { MAX_THREAD } from './list.ts'
import { type AmpRecord, ampTranslator } from './records.ts'
import { exportThread } from './remote.ts'
import { ledger, parseThread, type Thread } from './thread.ts'

export function* read(head: SessionHead, reading: ReadContext): Generator<Item> {
  let thread: Thread
  try {
    thread = parseThread(load(head, reading))
  } catch (error) {
    const problem = problemOf(head.path, error)
    if (head.format !== 'server-thread') reading.coverage.bad++
    yield* translate(head, [problem], () => undefined, reading)
    return
  }
  const created_at = head.created_at ?? toIso(thread.created) ?? null
  const answeredAt = new Map(ledger(thread).map((event) => [event.toMessageId, event.timestamp]))
  const toDrafts = ampTranslator(answeredAt, asArray(thread.messages)?.at(-1), reading)
  yield* translate({ ...head, created_at }, records(thread), toDrafts, reading)
}

/** The thread's text; throws with what to do when it cannot be loaded. */
function load(head: SessionHead, reading: ReadContext): string {
  if (head.format === 'remote-export') return exportThread(head.native_id, reading)
  if (head.format === 'server-thread') {
    throw new ReadError('missing', `the thread is on Amp's server and only its id is here; ask for it with --remote`)
  }
  return readWhole(head.path, reading, MAX_THREAD).toString('utf8')
}

/** Messages are keyed by their number; a request without a message follows the message it was about. */
function* records(thread: Thread): Generator<Keyed<AmpRecord>> {
  const events = ledger(thread)
  for (const [index, value] of (asArray(thread.messages) ?? []).entries()) {
    const record = asObject(value) ?? { message: value }
    const { messageId } = record
    yield { record, key: typeof messageId === 'number' ? `m${messageId}` : `#${index}` }
    for (const event of events) {
      if (event.toMessageId !== messageId) continue
      const isRepeated = event.operationType === 'inference' && asObject(record.usage) !== undefined
      yield { record: { ledger: event, isRepeated }, key: `m${messageId}:ledger` }
    }
  }
}
