import { asObject, asString } from '../../native/narrow.ts'

/** One line of events.jsonl (1.0.102). Every field is checked where it is used. */
export interface CopilotRecord {
  readonly type?: unknown
  readonly data?: unknown
  readonly id?: unknown
  readonly timestamp?: unknown
  /** The record before it, as a rule; null or unknown on `model.*`. */
  readonly parentId?: unknown
  /** Present on what a sub-agent did; it is in its parent's file. */
  readonly agentId?: unknown
}

export type Data = Readonly<Record<string, unknown>>

export function dataOf(record: CopilotRecord): Data {
  return asObject(record.data) ?? {}
}

/**
 * Why a message in the user's place was not typed by the user; undefined where it was. The prompt of a sub-agent comes from
 * the model; `source` names anything else that put a text there (a skill, a schedule, another agent).
 */
export function machineSubtype(record: CopilotRecord): string | undefined {
  if (record.agentId !== undefined) return 'agent_prompt'
  const data = dataOf(record)
  if (data.isAutopilotContinuation === true) return 'autopilot'
  const source = asString(data.source)
  if (!source || source === 'user') return undefined
  return `message/${source.split('-', 1)[0]}`
}

/** Internal records: turns, sums, permissions, and the trace of the model call that makes a summary. */
export const bookkeeping: ReadonlySet<string> = new Set([
  'session.start',
  'session.shutdown',
  'session.usage_checkpoint',
  'session.compaction_start',
  'session.permissions_changed',
  'session.session_limits_changed',
  'session.remote_steerable_changed',
  'session.auto_mode_resolved',
  'assistant.turn_start',
  'assistant.turn_end',
  'subagent.configured',
  'permission.requested',
  'permission.completed',
  'hook.start',
  'hook.end',
  'tool_search.activated',
  'model.turn_started',
  'model.turn_ended',
  'model.model_call_started',
  'model.model_call_success',
  'model.message',
  'model.response',
  'model.messages_snapshot',
])

/** Records about something beside the conversation: a `system` event with their data. */
export const notices: ReadonlyMap<string, string> = new Map([
  ['session.resume', 'resume'],
  ['session.mode_changed', 'mode_change'],
  ['session.plan_changed', 'plan_change'],
  ['session.context_changed', 'context_change'],
  ['session.context_cleared', 'context_cleared'],
  ['session.workspace_file_changed', 'workspace_file_change'],
  ['session.truncation', 'truncation'],
  ['session.handoff', 'handoff'],
  ['session.task_complete', 'task_complete'],
  ['system.notification', 'notification'],
  ['skill.invoked', 'skill'],
  ['subagent.started', 'subagent_started'],
  ['subagent.completed', 'subagent_completed'],
  ['subagent.failed', 'subagent_failed'],
  ['subagent.selected', 'subagent_selected'],
  ['subagent.deselected', 'subagent_deselected'],
  ['abort', 'interrupted'],
])
