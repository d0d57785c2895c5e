import { z } from 'zod'
import type { Block, Content, EventType, IonEvent, ModelCall, TokenUsage } from './event.ts'
import { FORMAT_VERSION } from './format-version.ts'

export type { Block, Content, EventOf, EventType, IonEvent, ModelCall, SessionStart, TokenUsage } from './event.ts'

/**
 * The canonical events: one line of JSON each. This file is the contract; event.ts and docs/format.md explain the fields,
 * and docs/format.schema.json is generated from it. The schemas only validate and never copy (see log-line.ts), so a
 * field that a later version adds survives being read and written by this one.
 */

const count = z.int().nonnegative()
const tokenUsage = z.object({
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
  cache_write_1h: count.optional(),
  reasoning: count,
})
const modelCall = z.object({
  id: z.string().min(1).optional(),
  tier: z.enum(['flex', 'priority']).optional(),
  cost: count.optional(),
  is_sum: z.literal(true).optional(),
})

const textBlock = z.object({ type: z.literal('text'), text: z.string() })

const imageBlock = z.object({
  type: z.literal('image'),
  media_type: z.string().nullable(),
  data: z.string().optional(),
  url: z.string().optional(),
})

const fileBlock = z.object({
  type: z.literal('file'),
  path: z.string(),
  media_type: z.string().nullable(),
  data: z.string().optional(),
})

const block = z.discriminatedUnion('type', [textBlock, imageBlock, fileBlock])
const content = z.union([z.string(), z.array(block)])

const base = {
  id: z.string().min(1),
  parent_id: z.string().nullable(),
  timestamp: z.iso.datetime(),
  timestamp_guessed: z.literal(true).optional(),
  seq: count,
  token_usage: tokenUsage.optional(),
  call: modelCall.optional(),
  model: z.string().optional(),
  sub_agent: z.string().optional(),
}

const sessionStart = z.object({
  ...base,
  type: z.literal('session_start'),
  v: z.literal(FORMAT_VERSION),
  session_id: z.uuid(),
  agent: z.string().min(1),
  native_id: z.string().min(1),
  cwd: z.string().nullable(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  git: z.object({ branch: z.string().optional(), commit: z.string().optional() }).optional(),
  forked_from: z.string().optional(),
  parent_session: z.string().optional(),
  spawned_by: z.string().optional(),
  source: z.object({ agent_version: z.string().nullable(), format: z.string() }),
})

const user = z.object({ ...base, type: z.literal('user'), content })
const assistant = z.object({ ...base, type: z.literal('assistant'), content: z.array(block) })
const thinking = z.object({ ...base, type: z.literal('thinking'), content: z.string() })
const toolUse = z.object({ ...base, type: z.literal('tool_use'), name: z.string(), input: z.unknown() })

const toolResult = z.object({
  ...base,
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content,
  is_error: z.boolean(),
})

const compaction = z.object({
  ...base,
  type: z.literal('compaction'),
  summary: z.string(),
  replaces: z.array(z.string()),
  preserved: z.array(z.string()).optional(),
})

const system = z.object({ ...base, type: z.literal('system'), subtype: z.string(), content: z.unknown() })
const native = z.object({ ...base, type: z.literal('native'), record: z.unknown() })

const sessionEnd = z.object({
  ...base,
  type: z.literal('session_end'),
  reason: z.enum(['completed', 'interrupted', 'error']),
  summary: z.string().optional(),
})

const event = z.discriminatedUnion('type', [
  sessionStart,
  user,
  assistant,
  thinking,
  toolUse,
  toolResult,
  compaction,
  system,
  native,
  sessionEnd,
])

/** The part of the schema that readers of events use: the types that Ion publishes must not depend on zod. */
export interface EventSchema {
  parse(value: unknown): IonEvent
  safeParse(value: unknown): EventJudgement
}

export type EventJudgement =
  | { readonly success: true; readonly data: IonEvent }
  | { readonly success: false; readonly error: { readonly issues: readonly EventIssue[] } }

export interface EventIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export const eventSchema: EventSchema = event

export const eventTypes: readonly EventType[] = event.options.map((option) => option.shape.type.value)

/** Does not compile when the types in event.ts and the schemas differ in either direction. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
const checked: [
  Same<z.infer<typeof event>, IonEvent>,
  Same<z.infer<typeof block>, Block>,
  Same<z.infer<typeof content>, Content>,
  Same<z.infer<typeof tokenUsage>, TokenUsage>,
  Same<z.infer<typeof modelCall>, ModelCall>,
] = [true, true, true, true, true]
void checked
