import { asArray, asCount, asObject, asString } from '../../native/narrow.ts'
import type { Origin } from './call-owner.ts'

/** The shapes of 0.166.0 and of older rollouts as far as Ion uses them; everything else is ignored. */

/** One line: an envelope around a payload. Before September 2025 response items had no envelope. */
export type CodexRecord = Readonly<Record<string, unknown>>

export type Payload = Readonly<Record<string, unknown>>

/** What the first line says about the session. */
export interface SessionMeta {
  readonly payload: Payload
  readonly historyBase: HistoryBase | undefined
  readonly isBare: boolean
}

/** A fork's history: the records of another rollout up to here. */
export interface HistoryBase {
  readonly rollout: string
  readonly endOrdinal: number
  readonly endOffset: number
}

export function payloadOf(record: CodexRecord): Payload {
  return asObject(record.payload) ?? {}
}

/** The description of the session, if the record is one. */
export function sessionMeta(record: CodexRecord | undefined): SessionMeta | undefined {
  if (!record) return undefined
  if (isBareMeta(record)) return { payload: record, historyBase: undefined, isBare: true }
  if (record.type !== 'session_meta') return undefined
  const payload = payloadOf(record)
  const base = asObject(payload.history_base)
  const rollout = asString(base?.thread_id)
  return {
    payload,
    isBare: false,
    historyBase: rollout
      ? { rollout, endOrdinal: numberOr(base?.end_ordinal_exclusive), endOffset: numberOr(base?.end_byte_offset) }
      : undefined,
  }
}

/** Whose session it is, from the payload of a session_meta. */
export function originOf(payload: Payload): Origin {
  const spawn = asObject(asObject(asObject(payload.source)?.subagent)?.thread_spawn)
  return {
    id: asString(payload.id),
    parent: asString(payload.forked_from_id) ?? asString(payload.parent_thread_id) ?? asString(spawn?.parent_thread_id),
    isReference: asObject(payload.history_base) !== undefined,
  }
}

function numberOr(value: unknown): number {
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY
}

/** The first line of a bare rollout: no type, but an id and a time. */
export function isBareMeta(record: CodexRecord): boolean {
  return record.type === undefined && typeof record.id === 'string' && typeof record.timestamp === 'string'
}

/** Records beside the conversation: their content is in the head or repeated in a message. */
export const bookkeeping: ReadonlySet<string> = new Set([
  'session_meta',
  'world_state',
  'inter_agent_communication_metadata',
  'security_risk_score',
])

/** Events that repeat a response item for the user interface, and internal ones. */
export const bookkeepingEvents: ReadonlySet<string> = new Set([
  'task_started',
  'turn_started',
  'thread_settings_applied',
  'thread_name_updated',
  'thread_goal_updated',
  'user_message',
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'context_compacted',
  'patch_apply_end',
  'exec_command_end',
  'mcp_tool_call_end',
  'web_search_end',
  'image_generation_end',
  'view_image_tool_call',
  'sub_agent_activity',
])

/** Items of `item_completed` that are in the file as a response item too. */
export const twinItems: ReadonlySet<string> = new Set([
  'UserMessage',
  'HookPrompt',
  'AgentMessage',
  'Reasoning',
  'CommandExecution',
  'DynamicToolCall',
  'CollabAgentToolCall',
  'SubAgentActivity',
  'WebSearch',
  'ImageView',
  'ImageGeneration',
  'FileChange',
  'McpToolCall',
  'ContextCompaction',
])

/** The turn that a message belongs to, which Codex stores with it since 0.166. */
export function messageTurn(item: Payload): string | undefined {
  return asString(asObject(item.internal_chat_message_metadata_passthrough)?.turn_id)
}

/** Codex's own words for the parts of a message, which it stores since 0.166. */
export function contentKinds(item: Payload): readonly unknown[] | undefined {
  return asArray(asObject(item.internal_chat_message_metadata_passthrough)?.content_item_kinds)
}

/** Texts that the program puts in the user's place. */
const machineText: readonly (readonly [prefix: string, subtype: string])[] = [
  ['<environment_context>', 'environment'],
  ['<user_instructions>', 'instructions'],
  ['# AGENTS.md instructions', 'instructions'],
  ['<turn_aborted>', 'turn_aborted'],
  ['<user_shell_command>', 'local_command'],
  ['<subagent_notification>', 'task_notification'],
  ['<skill>', 'skill'],
  ['<hook_prompt', 'hook_prompt'],
  ['<goal_context>', 'internal_context'],
  ['<codex_internal_context', 'internal_context'],
  ['<external_', 'external_context'],
  ['<recommended_plugins>', 'recommended_plugins'],
  ['Warning: apply_patch was requested via ', 'warning'],
  ['Warning: The maximum number of unified exec processes you can keep open is', 'warning'],
  ['Warning: Your account was flagged for potentially high-risk cyber activity', 'warning'],
]

/** The subtype of a text in the user's place that nobody typed; undefined for what the user typed. `kind`: see above. */
export function machineSubtype(text: string, kind?: string): string | undefined {
  const start = text.slice(0, 200).trimStart()
  const known = machineText.find(([prefix]) => start.startsWith(prefix))?.[1]
  if (known) return known
  return kind && kind !== 'unknown' && !kind.startsWith('user.') ? kind : undefined
}

/** A record's number, which continues from parent to fork; without one its offset, since files only grow. */
export function keyOf(record: CodexRecord, offset: number): string {
  const ordinal = asCount(record.ordinal)
  return ordinal === undefined ? `@${offset}` : `#${ordinal}`
}
