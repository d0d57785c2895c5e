import { createHash } from 'node:crypto'
import type { IonEvent, SessionStart } from '../events/event.ts'
import { FORMAT_VERSION } from '../events/format-version.ts'
import { sessionId } from '../events/id.ts'
import { titleFrom } from '../events/session.ts'
import { asObject } from '../native/narrow.ts'
import { Sequencer } from '../native/sequencer.ts'
import { projectOf } from '../platform/project.ts'

/** A message of the chat that agentapi keeps in its state file. */
export interface ChatMessage {
  readonly id: number
  readonly role: 'user' | 'agent'
  readonly message: string
  /** RFC 3339. */
  readonly time: string
}

/** The state file of agentapi, version 1 (agentapi 0.12 and later). */
export interface AgentapiState {
  readonly messages: readonly ChatMessage[]
}

/** Whether a parsed JSON file is a state of agentapi, of any version. */
export function isState(value: unknown): boolean {
  const state = asObject(value)
  return state !== undefined && !('type' in state) && 'version' in state && 'messages' in state
}

/** Throws with what is wrong. */
export function parseState(value: unknown): AgentapiState {
  const { version, messages } = asObject(value) ?? {}
  if (version !== 1) throw new Error(`unknown version ${JSON.stringify(version)} of a state file; Ion knows version 1`)
  // Go writes an empty list as null.
  if (messages !== null && !Array.isArray(messages)) throw new Error('messages is not a list')
  const ids = new Set<number>()
  const parsed = (messages ?? []).map((value: unknown, n): ChatMessage => {
    const { id, role, message, time } = asObject(value) ?? {}
    const isMessage = Number.isSafeInteger(id) && typeof message === 'string' && typeof time === 'string'
    if (!isMessage || (role !== 'user' && role !== 'agent')) throw new Error(`message ${n + 1} is invalid`)
    if (ids.has(id as number)) throw new Error(`message ${n + 1} has the same id as another one (${id})`)
    ids.add(id as number)
    return { id: id as number, role, message, time }
  })
  return { messages: parsed }
}

/** Without empty messages. */
export function messagesOf({ messages }: AgentapiState): readonly ChatMessage[] {
  return messages.filter(({ message }) => message.trim() !== '')
}

export function hasFewerMessages(state: AgentapiState, than: AgentapiState): boolean {
  return messagesOf(state).length < messagesOf(than).length
}

/** Whether the user's messages in `state` start with those in `before`: it is the same chat, continued. */
export function isContinuation(state: AgentapiState, before: AgentapiState): boolean {
  const [now, then] = [prompts(state), prompts(before)]
  return then.every((text, n) => now[n] === text)
}

function prompts(state: AgentapiState): string[] {
  return messagesOf(state).flatMap(({ role, message }) => (role === 'user' ? [message.trim()] : []))
}

export interface ChatOrigin {
  readonly agent: string
  readonly cwd: string | null
}

export interface ChatLog {
  readonly start: SessionStart
  readonly events: readonly IonEvent[]
}

/**
 * The chat as canonical events. The file has no id, so the chat is identified by its first prompt and the time of that: it is
 * the same session however often it is saved, and wherever the file is.
 */
export function chatLog(state: AgentapiState, { agent, cwd }: ChatOrigin): ChatLog {
  const messages = messagesOf(state)
  const first = messages.find(({ role }) => role === 'user') ?? messages[0]
  if (!first) throw new Error('the chat is empty')
  const fingerprint = createHash('sha256').update(`${first.time}\n${first.message}`).digest('hex').slice(0, 16)
  const native_id = `agentapi-${fingerprint}`
  const session_id = sessionId(agent, native_id)
  const sequencer = new Sequencer(null)
  const start = sequencer.complete(
    {
      type: 'session_start',
      id: `${session_id}:start`,
      parent_id: null,
      time: first.time,
      v: FORMAT_VERSION,
      session_id,
      agent,
      native_id,
      cwd,
      project: cwd === null ? null : projectOf(cwd),
      title: titleFrom(first.message),
      source: { agent_version: null, format: 'agentapi-state-v1' },
    },
    'start',
    0,
  ) as SessionStart
  const events = messages.map(({ id, role, message, time }) =>
    sequencer.complete(
      role === 'user'
        ? { type: 'user', id: `m${id}`, time, content: message }
        : { type: 'assistant', id: `m${id}`, time, content: [{ type: 'text', text: withoutPadding(message) }] },
      `m${id}`,
      0,
    ),
  )
  return { start, events: [start, ...events] }
}

/** agentapi takes answers from the screen, whose lines are padded to its width. */
function withoutPadding(screen: string): string {
  return screen.replaceAll(/ +$/gm, '')
}

/**
 * The events to import into an archived chat, without messages that are shorter than the archived ones. An agent's message
 * grows while the agent writes it, and an older file has only its beginning.
 */
export function dropShortened(events: readonly IonEvent[], archived: Iterable<IonEvent>): IonEvent[] {
  const lengths = new Map<string, number>()
  for (const event of archived) lengths.set(event.id, lengthOf(event))
  return events.filter((event) => lengthOf(event) >= (lengths.get(event.id) ?? 0))
}

function lengthOf(event: IonEvent): number {
  return 'content' in event ? JSON.stringify(event.content).length : 0
}
