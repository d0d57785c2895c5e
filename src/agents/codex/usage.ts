import type { ModelCall, TokenUsage } from '../../events/schema.ts'
import { tokenUsage, withoutCache } from '../../native/content.ts'
import { asObject, asString } from '../../native/narrow.ts'
import { isZero, type NoteUncounted } from '../../native/usage.ts'
import { type CallOwner, newOwner, ownCallId, UUID } from './call-owner.ts'
import type { Payload } from './records.ts'

/** What must be remembered to count each call once and to give it the same id in every file. Survives JSON. */
export interface UsageMemory {
  /** A token_usage_record was seen: from there on token_count only repeats them. */
  recorded: boolean
  /** The sums of the last token_count; the same sums again are the same call again. */
  total: string
  /** The running turn; empty where the version writes no ids of turns. */
  turn: string
  /** How many calls the last turns had. */
  readonly turns: { readonly id: string; calls: number }[]
  tier: ModelCall['tier'] | null
  readonly owner: CallOwner
}

export function newUsageMemory(): UsageMemory {
  return { recorded: false, total: '', turn: '', turns: [], tier: null, owner: newOwner() }
}

/** A model call and its tokens, as an event has them. */
export interface CountedCall {
  readonly token_usage: TokenUsage
  readonly call?: ModelCall
}

/** The call of a token_usage_record. */
export function recordedCall(payload: Payload, memory: UsageMemory, time: string | undefined): CountedCall | undefined {
  memory.recorded = true
  const usage = asObject(payload.usage)
  if (!usage) return undefined
  const turn = asString(payload.turn_id)
  const id = turn ? callOfTurn(turn, memory) : asString(payload.response_id) || ownCallId(memory.owner, time)
  return counted(toUsage(usage), id, memory)
}

/** What a token_count event says: the sums so far as JSON (empty where there are none), and the last call. */
export interface TokenCount {
  readonly total: string
  readonly last: Payload
}

export function tokenCount(payload: Payload): TokenCount | undefined {
  const info = asObject(payload.info)
  const last = asObject(info?.last_token_usage)
  const total = asObject(info?.total_token_usage)
  return last && { last, total: total ? JSON.stringify(total) : '' }
}

/**
 * The call of a token_count event, for files from before token_usage_record and for replays, which leave those out. The event is
 * repeated on a resume and with each change of the rate limits, with the same sums.
 */
export function countedCall(
  count: TokenCount | undefined,
  memory: UsageMemory,
  time: string | undefined,
  noteUncounted?: NoteUncounted,
): CountedCall | undefined {
  if (!count) return undefined
  if (memory.recorded || (count.total !== '' && count.total === memory.total)) {
    noteUncounted?.(toUsage(count.last), 'repeated')
    return undefined
  }
  memory.total = count.total
  const usage = toUsage(count.last)
  // The sums also change without a call, when Codex sets them to the size of the context.
  if (isZero(usage)) return undefined
  return counted(usage, memory.turn ? callOfTurn(memory.turn, memory) : ownCallId(memory.owner, time), memory)
}

function counted(token_usage: TokenUsage, id: string | undefined, { tier }: UsageMemory): CountedCall {
  if (id === undefined && !tier) return { token_usage }
  return { token_usage, call: { ...(id === undefined ? {} : { id }), ...(tier ? { tier } : {}) } }
}

/** Calls of two turns may alternate, such as those of a review. */
const TURNS = 8

/** Replays keep the ids of turns. */
export function noteTurn(memory: UsageMemory, id: unknown): void {
  if (typeof id === 'string' && UUID.test(id)) memory.turn = id
}

/** The n-th call of its turn: a replay has the calls of a turn in the same order, but neither their times nor their ids. */
function callOfTurn(id: string, { turns }: UsageMemory): string {
  let turn = turns.findLast((known) => known.id === id)
  if (!turn) {
    turn = { id, calls: 0 }
    turns.push(turn)
    if (turns.length > TURNS) turns.shift()
  }
  return `${id}/${++turn.calls}`
}

/** The tier of the calls that follow; undefined for the standard one. Versions differ in the name of the priority tier. */
export function noteTier(memory: UsageMemory, name: unknown): void {
  memory.tier = name === 'flex' ? 'flex' : name === 'priority' || name === 'fast' ? 'priority' : null
}

/** Codex includes cached input in the input. */
function toUsage(usage: Payload): TokenUsage {
  return withoutCache(
    tokenUsage(usage, {
      input: 'input_tokens',
      output: 'output_tokens',
      cache_read: 'cached_input_tokens',
      cache_write: 'cache_write_input_tokens',
      reasoning: 'reasoning_output_tokens',
    }),
  )
}
