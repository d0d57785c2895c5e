import type { Item, NonRecord, Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Keyed, keyedLines, translate } from '../../native/translate.ts'
import { stampOf } from '../../native/walk.ts'
import { readWhole } from '../../native/window.ts'
import { type ConversationTable, conversationText, readConversation } from '../_shared/conversation-rows.ts'
import { v1Stores } from './list.ts'
import { v2Drafts } from './v2.ts'
import { v3Drafts } from './v3.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  if (head.format === 'v2-jsonl') return translate(head, v2Records(head, reading), v2Drafts, reading)
  if (head.format === 'v3-jsonl') return translate(head, lines(head.path, reading), v3Drafts, reading)
  return readConversation(head, tableOf(head), reading)
}

/** Undefined for a session in files. */
export function textRows(head: SessionHead): Iterable<Uint8Array | Problem> | undefined {
  return head.path.endsWith('.sqlite3') ? conversationText(head, tableOf(head)) : undefined
}

function tableOf(head: SessionHead): ConversationTable {
  return (v1Stores.find(({ format }) => format === head.format) ?? v1Stores[0]!).table
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
  if (!stampOf(path)) return
  try {
    const metadata = asObject(JSON.parse(readWhole(path, reading, MAX_METADATA).toString('utf8')))
    const state = asObject(metadata?.session_state)
    const turns = asArray(asObject(state?.conversation_metadata)?.user_turn_metadatas) ?? []
    for (const [index, turn] of turns.entries()) yield { record: { turn }, key: `${head.native_id}:turn:${index}` }
  } catch (error) {
    yield cannotRead(path, error, 'cannot read the metadata, so token counts are missing')
  }
}

const MAX_METADATA = 64 * 1024 * 1024
