/**
 * The canonical events as types, without the schema library: reading events needs nothing else. The contract is
 * schema.ts, which does not compile when the two differ. Type aliases, not interfaces, so that an event is assignable to
 * `Record<string, unknown>`.
 */

export type TokenUsage = {
  /** Input that was neither read from nor written to a cache. */
  input: number
  /** Everything the model wrote, reasoning included. */
  output: number
  cache_read: number
  cache_write: number
  /** The part of `cache_write` that is kept for an hour, where the agent reports it. */
  cache_write_1h?: number | undefined
  /** The part of `output` that was reasoning, where the agent reports it. */
  reasoning: number
}

/** What an agent says of a model call beside its tokens. */
export type ModelCall = {
  /**
   * The same wherever this call is: forks, resumed sessions and replays repeat it, and it is counted once. Unique among the calls
   * of the agent. Left out where no other session repeats it: then the session and the event identify it.
   */
  id?: string | undefined
  /** The price tier, where it is not the standard one. */
  tier?: 'flex' | 'priority' | undefined
  /** What it cost by the agent's own account, in micro-dollars. */
  cost?: number | undefined
  /** The agent reports only sums of several calls, and this is one. */
  is_sum?: true | undefined
}

export type TextBlock = { type: 'text'; text: string }

export type ImageBlock = {
  type: 'image'
  media_type: string | null
  /** Base64, where the agent stored the image itself. */
  data?: string | undefined
  /** Where the agent stored only a reference. */
  url?: string | undefined
}

export type FileBlock = {
  type: 'file'
  path: string
  media_type: string | null
  /** Base64, where the agent stored the bytes. */
  data?: string | undefined
}

export type Block = TextBlock | ImageBlock | FileBlock
export type Content = string | Block[]

/** The fields of every event. */
export type EventBase = {
  /** Unique in its session and the same at every read. */
  id: string
  /** The event that this one follows; null at a root. A branch is an event with an earlier parent. */
  parent_id: string | null
  /** ISO, UTC. */
  timestamp: string
  /** Present where the agent stored no time and this one is estimated. */
  timestamp_guessed?: true | undefined
  /** Order in the file. Order never comes from clocks. */
  seq: number
  /**
   * On one event of a model call, the first where possible: its tokens. Where an agent reports more of them later, the difference is
   * on a later event with the same `call.id`. So a sum over a session counts each token once.
   */
  token_usage?: TokenUsage | undefined
  /** Beside `token_usage`, where there is something to say. */
  call?: ModelCall | undefined
  model?: string | undefined
  /** The sub-agent that made it, where its events are in the parent's own file. */
  sub_agent?: string | undefined
}

export type SessionStart = EventBase & {
  type: 'session_start'
  v: 1
  session_id: string
  agent: string
  native_id: string
  cwd: string | null
  project: string | null
  title: string | null
  git?: { branch?: string | undefined; commit?: string | undefined } | undefined
  forked_from?: string | undefined
  /** The session that started this one as a sub-agent, and the tool call that did it. */
  parent_session?: string | undefined
  spawned_by?: string | undefined
  source: { agent_version: string | null; format: string }
}

export type UserEvent = EventBase & { type: 'user'; content: Content }
export type AssistantEvent = EventBase & { type: 'assistant'; content: Block[] }
export type ThinkingEvent = EventBase & { type: 'thinking'; content: string }

/** `id` is the agent's own call id, so that results find it. */
export type ToolUseEvent = EventBase & { type: 'tool_use'; name: string; input: unknown }
export type ToolResultEvent = EventBase & {
  type: 'tool_result'
  tool_use_id: string
  content: Content
  is_error: boolean
}

export type CompactionEvent = EventBase & {
  type: 'compaction'
  summary: string
  /** Ids of the events that the summary replaces, where the agent reports them; they stay in the log. */
  replaces: string[]
  /** Ids of earlier events that the model still sees word for word, where the agent reports it. */
  preserved?: string[] | undefined
}

/** Added by the agent, not typed by anybody: environment, reminders, notices. Hidden by default. */
export type SystemEvent = EventBase & { type: 'system'; subtype: string; content: unknown }

/** A record that Ion does not know: kept unchanged, and counted. */
export type NativeEvent = EventBase & { type: 'native'; record: unknown }

export type SessionEnd = EventBase & {
  type: 'session_end'
  reason: 'completed' | 'interrupted' | 'error'
  summary?: string | undefined
}

export type IonEvent =
  | SessionStart
  | UserEvent
  | AssistantEvent
  | ThinkingEvent
  | ToolUseEvent
  | ToolResultEvent
  | CompactionEvent
  | SystemEvent
  | NativeEvent
  | SessionEnd

export type EventType = IonEvent['type']
export type EventOf<T extends EventType> = Extract<IonEvent, { type: T }>
