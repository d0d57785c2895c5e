import type { Field } from './protobuf.ts'

/** The field numbers of `agent.v1` that Ion uses (@cursor/sdk 1.0.32 and 1.1.0); those of tools are in tools.ts. */
export const ROOT = {
  messages: 1,
  summary: 6,
  turns: 8,
  workspaces: 9,
  summaryArchives: 13,
  subagentStates: 16,
  branch: 19,
  startedMs: 26,
  subagentRefs: 31,
} as const
export const TURN = { agent: 1, shell: 2 } as const
export const AGENT_TURN = { userMessage: 1, steps: 2, requestId: 3 } as const
export const SHELL_TURN = { command: 1, output: 2 } as const
export const USER = {
  text: 1,
  id: 2,
  context: 3,
  simulated: 5,
  textBlob: 18,
  hookContexts: 21,
  startedMs: 25,
  sentByAgent: 27,
  sender: 29,
} as const
/** Who sent a prompt that is not from the chat's input line. */
export const SENDER = { kind: 1 } as const
export const VOICE_CALL = 2
/** Text that a hook added to a prompt or a tool call. */
export const HOOK_CONTEXT = { event: 1, text: 2 } as const
export const STEP = { assistant: 1, tool: 2, thinking: 3 } as const
export const SPOKEN = { text: 1, startedMs: 2 } as const
export const THOUGHT = { text: 1, startedMs: 3 } as const
export const SUMMARY = { text: 1 } as const
export const ARCHIVE = { messages: 1, text: 2 } as const
/** An entry of a map from names to messages or blobs. */
export const ENTRY = { key: 1, value: 2 } as const

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
