import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { NoteUncounted } from '../../native/usage.ts'
import { noteSession } from './call-owner.ts'
import { itemDrafts } from './items.ts'
import {
  bookkeeping,
  bookkeepingEvents,
  type CodexRecord,
  contentKinds,
  isBareMeta,
  machineSubtype,
  messageTurn,
  originOf,
  type Payload,
  payloadOf,
  twinItems,
} from './records.ts'
import {
  type CountedCall,
  countedCall,
  newUsageMemory,
  noteTier,
  noteTurn,
  recordedCall,
  tokenCount,
  type UsageMemory,
} from './usage.ts'

/** What one record must know of those before it. Survives JSON: the scanner stores it between two passes over a file. */
export interface Memory {
  /** The model of the running turn. */
  model: string | null
  usage: UsageMemory
}

export function newMemory(): Memory {
  return { model: null, usage: newUsageMemory() }
}

/** What one record says; the scanner calls it for the lines that it parses. */
export function draftsOf(record: CodexRecord, memory: Memory, noteUncounted?: NoteUncounted): Draft[] | undefined {
  const drafts = untimedDrafts(record, memory, noteUncounted)
  return drafts?.map((draft) => ({ ...withModel(draft, memory), time: record.timestamp }))
}

function untimedDrafts(
  record: CodexRecord,
  memory: Memory,
  noteUncounted: NoteUncounted | undefined,
): Draft[] | undefined {
  const payload = payloadOf(record)
  switch (record.type) {
    case 'session_meta':
      noteSession(memory.usage.owner, originOf(payload), toIso(record.timestamp))
      return []
    case 'response_item':
      if (payload.type === 'message') noteTurn(memory.usage, messageTurn(payload))
      return itemDrafts(payload, asObject(record.metadata) ?? {})
    case 'event_msg':
      if (payload.type === 'token_count')
        return usageDrafts(countedCall(tokenCount(payload), memory.usage, toIso(record.timestamp), noteUncounted))
      return eventDrafts(payload, memory)
    case 'turn_context':
      return [turnDraft(payload, memory)]
    case 'token_usage_record':
      return usageDrafts(recordedCall(payload, memory.usage, toIso(record.timestamp)))
    case 'compacted':
      return [compactionDraft(payload)]
    case 'inter_agent_communication':
      return [{ type: 'system', subtype: 'agent_message', content: payload }]
    default:
      if (bookkeeping.has(String(record.type))) return []
      return record.payload === undefined ? bareDrafts(record) : undefined
  }
}

/** Rollouts from before the envelope: a first line without a type, records of the state, and response items. */
function bareDrafts(record: CodexRecord): Draft[] | undefined {
  return isBareMeta(record) || record.record_type === 'state' ? [] : itemDrafts(record, {})
}

function eventDrafts(payload: Payload, memory: Memory): Draft[] | undefined {
  const type = String(payload.type)
  switch (type) {
    case 'task_started':
    case 'turn_started':
      noteTurn(memory.usage, payload.turn_id)
      return []
    case 'thread_settings_applied':
      noteTier(memory.usage, asObject(payload.thread_settings)?.service_tier)
      return []
    case 'task_complete':
    case 'turn_complete': {
      const error = asObject(payload.error)
      return error ? [{ type: 'system', subtype: 'api_error', content: asString(error.message) ?? error }] : []
    }
    case 'error':
    case 'stream_error':
      return [{ type: 'system', subtype: 'api_error', content: asString(payload.message) ?? payload }]
    case 'turn_aborted':
      return [{ type: 'system', subtype: 'interrupted', content: asString(payload.reason) ?? null }]
    case 'thread_rolled_back':
      return [{ type: 'system', subtype: 'rolled_back', content: { turns: payload.num_turns ?? null } }]
    case 'entered_review_mode':
    case 'exited_review_mode':
      return [{ type: 'system', subtype: 'review', content: payload }]
    case 'item_completed':
      return completedDrafts(asObject(payload.item) ?? {})
    default:
      return bookkeepingEvents.has(type) ? [] : undefined
  }
}

/** An item of the user interface: repeated by a response item, except for these. */
function completedDrafts(item: Payload): Draft[] | undefined {
  switch (item.type) {
    case 'Plan':
      return [{ type: 'system', subtype: 'plan', content: asString(item.text) ?? item, id: asString(item.id) }]
    case 'EnteredReviewMode':
    case 'ExitedReviewMode':
      return [{ type: 'system', subtype: 'review', content: item, id: asString(item.id) }]
    default:
      return twinItems.has(String(item.type)) ? [] : undefined
  }
}

/** The settings of a turn: a resume in another folder or with another model shows here. */
function turnDraft(payload: Payload, memory: Memory): Draft {
  memory.model = asString(payload.model) || memory.model
  noteTurn(memory.usage, payload.turn_id)
  const { cwd, approval_policy, sandbox_policy, effort } = payload
  return { type: 'system', subtype: 'turn_context', content: { cwd, approval_policy, sandbox_policy, effort } }
}

function usageDrafts(counted: CountedCall | undefined): Draft[] {
  return counted ? [{ type: 'system', subtype: 'usage', content: null, ...counted }] : []
}

function compactionDraft(payload: Payload): Draft {
  const kept = (asArray(payload.replacement_history) ?? []).flatMap((value) => keptId(asObject(value) ?? {}))
  const preserved = kept.length ? { preserved: kept } : {}
  return { type: 'compaction', summary: asString(payload.message) ?? '', replaces: [], ...preserved }
}

/** The user's earlier messages stay in the model's history under their old ids; the rest is rewritten. */
function keptId(item: Payload): string[] {
  const kinds = contentKinds(item)
  const text = asString(asObject(asArray(item.content)?.[0])?.text)
  if (item.role !== 'user' || typeof item.id !== 'string' || !kinds || text === undefined) return []
  return machineSubtype(text, asString(kinds[0])) ? [] : [item.id]
}

/** What the model wrote, and what it cost, gets the model's name. */
function withModel(draft: Draft, { model }: Memory): Draft {
  const isModels = draft.type === 'system' ? modelSubtypes.has(draft.subtype) : modelTypes.has(draft.type)
  return model && isModels ? { ...draft, model } : draft
}

const modelTypes: ReadonlySet<string> = new Set(['assistant', 'thinking', 'tool_use'])
const modelSubtypes: ReadonlySet<string> = new Set(['turn_context', 'redacted_thinking', 'usage'])
