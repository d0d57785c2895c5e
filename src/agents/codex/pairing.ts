import { asArray, asObject, asString } from '../../native/narrow.ts'
import { hash53 } from '../../platform/hash.ts'
import { type CodexRecord, machineSubtype, type Payload, payloadOf } from './records.ts'

/**
 * A message is in the file twice: as a response item (for the model) and as an event (for the screen), the user's item
 * before its event, the model's after. The item is the message. An event without an item, as after a kill between the two,
 * must not be lost: it waits for its item until the turn is over.
 */
export interface Pairing<T> {
  /** Texts of items whose event has not come, as hashes. */
  readonly said: number[]
  /** Events whose item has not come. */
  readonly waiting: { readonly hash: number; readonly value: T }[]
}

/** Twins are close together; more are not remembered. */
const REMEMBERED = 32

export function newPairing<T>(): Pairing<T> {
  return { said: [], waiting: [] }
}

/** The role of a record in a pair; undefined for most records. */
export type PairRole = { readonly kind: 'item' | 'event'; readonly hash: number } | { readonly kind: 'turn end' }

export function pairRole(record: CodexRecord): PairRole | undefined {
  const payload = payloadOf(record)
  if (record.type === 'response_item') {
    const text = payload.type === 'message' ? itemText(payload) : undefined
    return text === undefined ? undefined : { kind: 'item', hash: hash53(text.trim()) }
  }
  if (record.type !== 'event_msg') return undefined
  if (turnEnds.has(String(payload.type))) return { kind: 'turn end' }
  const text = eventText(payload)
  return text === undefined ? undefined : { kind: 'event', hash: hash53(text.trim()) }
}

const turnEnds: ReadonlySet<string> = new Set(['task_started', 'task_complete', 'turn_aborted'])

/** Events, and items of `item_completed`, that take part in pairing. */
export const pairedEvents: ReadonlySet<string> = new Set([
  ...turnEnds,
  'user_message',
  'agent_message',
  'UserMessage',
  'AgentMessage',
])

/** The text of a message event; undefined for other events. */
export function eventText(payload: Payload): string | undefined {
  if (payload.type === 'user_message' || payload.type === 'agent_message') return asString(payload.message)
  if (payload.type !== 'item_completed') return undefined
  const item = asObject(payload.item)
  return item?.type === 'UserMessage' || item?.type === 'AgentMessage' ? texts(item).join('') : undefined
}

/** The text of a message of the user or the model, without what the program added. */
function itemText(payload: Payload): string | undefined {
  if (payload.role === 'assistant') return texts(payload).join('')
  if (payload.role !== 'user') return undefined
  const said = texts(payload).filter((text) => machineSubtype(text) === undefined && !MEDIA_TAG.test(text))
  return said.length ? said.join('') : undefined
}

/** Before and after an image or a sound. */
const MEDIA_TAG = /^<\/?(?:image|audio)\b/

function texts(holder: Payload): string[] {
  return (asArray(holder.content) ?? []).flatMap((part) => asString(asObject(part)?.text) ?? [])
}

/**
 * Processes a record. Returns the events that are now known to have no item (`alone`), and the event whose item this is
 * (`paired`); `held` is true for an event that has to wait.
 */
export function pair<T>(pairing: Pairing<T>, role: PairRole, value: T): { alone: T[]; paired?: T; held: boolean } {
  const { said, waiting } = pairing
  if (role.kind === 'turn end') return { alone: waiting.splice(0).map((entry) => entry.value), held: false }
  if (role.kind === 'item') {
    const at = waiting.findIndex((entry) => entry.hash === role.hash)
    if (at >= 0) return { alone: [], paired: waiting.splice(at, 1)[0]!.value, held: false }
    said.push(role.hash)
    if (said.length > REMEMBERED) said.shift()
    return { alone: [], held: false }
  }
  const at = said.indexOf(role.hash)
  if (at >= 0) {
    said.splice(at, 1)
    return { alone: [], held: false }
  }
  waiting.push({ hash: role.hash, value })
  return { alone: waiting.length > REMEMBERED ? [waiting.shift()!.value] : [], held: true }
}
