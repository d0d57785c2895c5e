import type { Item, NonRecord } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import { stampOf } from '../../native/walk.ts'
import { readWhole } from '../../native/window.ts'
import { readConversation } from '../_shared/conversation-rows.ts'
import { v1Stores } from './list.ts'
import { v2Drafts } from './v2.ts'
import { v3Drafts } from './v3.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  if (head.format === 'v2-jsonl') return translate(head, v2Records(head, reading), v2Drafts, reading)
  if (head.format === 'v3-jsonl') return translate(head, lines(head.path, reading), v3Drafts, reading)
  const { table } = v1Stores.find(({ format }) => format === head.format) ?? v1Stores[0]!
  return readConversation(head, table, reading)
}

type Line = Readonly<Record<string, unknown>>

/** Without lines where the session was opened and never used: there is only the metadata. */
function lines(path: string, reading: ReadContext): Iterable<Keyed<Line> | NonRecord> {
  return path.endsWith('.jsonl')
    ? keyedLines<Line>(path, reading, ({ id, data }) => id ?? asObject(data)?.message_id)
    : []
}

/** All lines, whether the metadata lists them or not; then what it counted for each turn. */
function* v2Records(head: SessionHead, reading: ReadContext): Generator<Keyed<Line> | NonRecord> {
  yield* lines(head.path, reading)
  const path = head.path.replace(/\.jsonl$/, '.json')
  const stamp = stampOf(path)
  if (!stamp) return
  if (stamp.size > MAX_METADATA) {
    yield {
      code: 'too_large',
      problem: `metadata of ${Math.round(stamp.size / 1e6)} MB is too long to read; token counts are missing`,
      path,
    }
    return
  }
  try {
    const state = asObject(asObject(JSON.parse(readWhole(path, reading).toString('utf8')))?.session_state)
    const turns = asArray(asObject(state?.conversation_metadata)?.user_turn_metadatas) ?? []
    for (const [index, turn] of turns.entries()) yield { record: { turn }, key: `${head.native_id}:turn:${index}` }
  } catch (error) {
    yield cannotRead(path, error, 'metadata is not JSON')
  }
}

const MAX_METADATA = 64 * 1024 * 1024
