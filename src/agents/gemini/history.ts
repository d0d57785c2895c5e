import { isUuid } from '../../events/id.ts'
import { HashSet } from '../../native/hash-set.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { ToDrafts } from '../../native/translate.ts'
import { uncountedIn } from '../../native/usage.ts'
import { hash53 } from '../../platform/hash.ts'
import { type Fact, factsOf } from './message.ts'
import { type GeminiMessage, isConversation, metadataKeys, partsOf, usageOf } from './records.ts'

/**
 * The meaning of a session's records, in the order of writing. Later lines repeat, complete, shorten or revoke earlier ones;
 * whatever a message says becomes an event where it is said first, and is never revoked. So more lines never change the
 * events before them. It remembers ids and hashes, not texts: memory grows with the number of different messages, not with
 * their size or with how often they are repeated.
 */
export function createHistory(startEvent: string, reading: ReadContext): ToDrafts<JsonObject> {
  const said = new HashSet()
  /** How many messages made a call of this id: a result counts once for each. */
  const calls = new Map<string, number>()
  /** Messages that Gemini would send to the model now, in order. */
  let current = new Set<string>()
  /** Last event of each message, so that what follows a rewind finds its parent. */
  const lastEvent = new Map<string, string>()
  /** How often each message without an id occurred in the current list. */
  let occurrences = new Map<string, number>()
  let session: string | undefined
  /** The previous line said that a process started: the next list is short only because it is not complete yet. */
  let begun = false
  /** The parent of the next message, when that is not the event before. */
  let branch: string | undefined

  function takeMessage(message: GeminiMessage): Draft[] | undefined {
    const id = idOf(message)
    const facts = factsOf(message, id)
    if (!facts) return undefined
    if (isEmptied(message)) current.delete(id)
    else if (isConversation(message)) current.add(id)
    const drafts = facts.filter(isNew).map((fact) => fact.draft)
    const counted = withUsage(drafts, message, id)
    if (branch !== undefined && counted[0]) {
      counted[0] = { ...counted[0], parent_id: branch }
      branch = undefined
    }
    const last = counted.at(-1)?.id
    if (last) lastEvent.set(id, last)
    return counted
  }

  function isNew({ key, draft, call }: Fact): boolean {
    if (call === undefined) return said.add(key)
    if (draft.type === 'tool_result') return said.add(`result:${call}:${calls.get(call) ?? 0}`)
    if (!said.add(key)) return false
    calls.set(call, (calls.get(call) ?? 0) + 1)
    return true
  }

  /** Usage and model are on the first event of the message; an empty answer gets a `usage` event for them. */
  function withUsage(drafts: Draft[], message: GeminiMessage, id: string): Draft[] {
    const token_usage = usageOf(message.tokens)
    if (!token_usage) return drafts
    if (!said.add(`usage:${id}`)) {
      if (reading.onUncounted) uncountedIn(reading, id, message.timestamp)(token_usage, 'repeated')
      return drafts
    }
    const model = asString(message.model)
    const empty: Draft = { type: 'system', subtype: 'usage', content: null, id: `${id}/usage`, time: message.timestamp }
    const [first = empty, ...more] = drafts
    // Imported sessions have the ids of the original.
    const call = isUuid(id) ? { call: { id } } : {}
    return [{ ...first, token_usage, ...call, ...(model ? { model } : {}) }, ...more]
  }

  /** Files of other tools have messages without ids: the nth occurrence of a text is the same message. */
  function idOf(message: GeminiMessage): string {
    if (typeof message.id === 'string' && message.id !== '') return message.id
    const texts = partsOf(message.content).flatMap((part) => asString(part.text) ?? [])
    const hash = hash53(texts.length ? texts.join('\n') : JSON.stringify(message.content ?? null)).toString(36)
    const times = (occurrences.get(hash) ?? 0) + 1
    occurrences.set(hash, times)
    return `~${hash}-${times}`
  }

  function takeList(messages: readonly unknown[], time: unknown): Draft[] {
    const before = current
    current = new Set()
    occurrences = new Map()
    const drafts = messages.flatMap((message): readonly Draft[] => {
      const record = asObject(message) ?? {}
      return takeMessage(record) ?? unknownMessage(message, record)
    })
    const gone = [...before].filter((id) => !current.has(id))
    if (begun) current = new Set([...before, ...current])
    else if (gone.length > 0 && !drafts.some((draft) => draft.type === 'compaction')) {
      drafts.push({ type: 'system', subtype: 'rollback', content: { removed: gone }, time })
      continueAfter([...current])
    }
    return drafts
  }

  function unknownMessage(message: unknown, record: JsonObject): readonly Draft[] {
    const id = asString(record.id)
    return said.add(`unknown:${JSON.stringify(message)}`) ? [{ type: 'native', id, record: message }] : []
  }

  function takeRewind(target: string): Draft[] {
    const kept: string[] = []
    const removed: string[] = []
    for (const id of current) (removed.length > 0 || id === target ? removed : kept).push(id)
    // Gemini drops everything when it does not know the message.
    const all = removed.length === 0
    current = new Set(all ? [] : kept)
    continueAfter([...current])
    return [{ type: 'system', subtype: 'rewind', content: { to: target, removed: all ? kept : removed } }]
  }

  function continueAfter(messages: readonly string[]): void {
    const last = messages.findLast((id) => lastEvent.has(id))
    branch = last === undefined ? startEvent : lastEvent.get(last)
  }

  function takeMetadata(metadata: JsonObject): Draft[] {
    const drafts: Draft[] = []
    const id = asString(metadata.sessionId)
    if (id && session && id !== session) drafts.push({ type: 'system', subtype: 'session_id', content: id })
    session = id ?? session
    const messages = asArray(metadata.messages)
    if (messages) drafts.push(...takeList(messages, metadata.lastUpdated))
    if (metadata.directories !== undefined) {
      drafts.push({ type: 'system', subtype: 'directories', content: metadata.directories })
    }
    const unknown = Object.entries(metadata).filter(([key]) => !metadataKeys.has(key))
    if (unknown.length) drafts.push({ type: 'native', record: { $set: Object.fromEntries(unknown) } })
    return drafts
  }

  return (record) => {
    const set = asObject(record.$set)
    const isStart = !set && typeof record.type !== 'string' && typeof record.sessionId === 'string'
    // Another file of the session begins: it repeats the same messages.
    if (isStart) occurrences = new Map()
    let drafts: Draft[] | undefined
    if (typeof record.$rewindTo === 'string') drafts = takeRewind(record.$rewindTo)
    else if (set || isStart) drafts = takeMetadata(set ?? record)
    else if (typeof record.type === 'string') drafts = takeMessage(record)
    begun = isStart
    return drafts
  }
}

/** Ion empties messages that repeat a result, so that Gemini does not send them (repeated-results.ts). */
function isEmptied({ type, content }: GeminiMessage): boolean {
  return type === 'user' && asArray(content)?.length === 0
}
