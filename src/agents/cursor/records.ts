import type { Field } from './protobuf.ts'

/** The field numbers of `agent.v1` that Ion uses (npm @cursor/sdk 1.0.32). */
export const ROOT = {
  messages: 1,
  summary: 6,
  turns: 8,
  workspaces: 9,
  summaryArchives: 13,
  subagentStates: 16,
  branch: 19,
  startedMs: 26,
} as const
export const TURN = { agent: 1, shell: 2 } as const
export const AGENT_TURN = { userMessage: 1, steps: 2, requestId: 3 } as const
export const SHELL_TURN = { command: 1, output: 2 } as const
export const USER = { text: 1, id: 2, context: 3, simulated: 5, textBlob: 18, startedMs: 25 } as const
export const STEP = { assistant: 1, tool: 2, thinking: 3 } as const
export const SPOKEN = { text: 1, startedMs: 2 } as const
export const TOOL = { args: 1, result: 2 } as const
export const SHELL_ARGS = { command: 1, folder: 2, callId: 4 } as const
export const SHELL_OUTCOME = { exitCode: 3, stdout: 5, stderr: 6 } as const
export const SUMMARY = { text: 1 } as const
export const ARCHIVE = { text: 2 } as const

/** Field numbers of the kinds of a tool call. */
export const toolKinds: Readonly<Record<number, string>> = {
  1: 'shell',
  3: 'delete',
  4: 'glob',
  5: 'grep',
  8: 'read',
  9: 'update_todos',
  10: 'read_todos',
  12: 'edit',
  13: 'ls',
  14: 'read_lints',
  15: 'mcp',
  16: 'sem_search',
  17: 'create_plan',
  18: 'web_search',
  19: 'task',
  20: 'list_mcp_resources',
  21: 'read_mcp_resource',
  22: 'apply_agent_diff',
  23: 'ask_question',
  24: 'fetch',
  25: 'switch_mode',
  37: 'web_fetch',
}

/** A message to or from the model: a JSON blob of the root's field 1. */
export type ModelMessage = Readonly<Record<string, unknown>>

/** One record of a store, found by following the references from the root. */
export type StoreRecord =
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'user'; readonly fields: readonly Field[]; readonly text: string }
  | { readonly kind: 'step'; readonly fields: readonly Field[]; readonly model: ModelSide }
  | { readonly kind: 'shell'; readonly command: readonly Field[]; readonly output: readonly Field[] }
  | { readonly kind: 'message'; readonly message: ModelMessage }
  | { readonly kind: 'unknown'; readonly what: string; readonly raw: unknown }

/** The model's side of a tool call, by the call's id: it has the arguments' names and the result. */
export interface ModelSide {
  call(id: string): ModelMessage | undefined
  result(id: string): ModelMessage | undefined
}
