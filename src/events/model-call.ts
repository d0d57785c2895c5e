import type { IonEvent, TokenUsage } from './event.ts'

/** What an event says about a model call. All of its kinds may: a sum over a session needs nothing else. */
export type CallEvent = Pick<IonEvent, 'id' | 'timestamp' | 'model' | 'token_usage' | 'call'>

export function hasUsage<T extends CallEvent>(event: T): event is T & { token_usage: TokenUsage } {
  return event.token_usage !== undefined
}

/** A record without tokens and cost is not counted: what Ion writes of another session, and answers of the program itself. */
export function isCounted<T extends CallEvent>(event: T): event is T & { token_usage: TokenUsage } {
  if (!hasUsage(event)) return false
  const { input, output, cache_read, cache_write, reasoning } = event.token_usage
  return input + output + cache_read + cache_write + reasoning > 0 || (event.call?.cost ?? 0) > 0
}

/** Without the rest of the event, which may be long. */
export function callEvent({ id, timestamp, model, token_usage, call }: CallEvent): CallEvent {
  return { id, timestamp, model, token_usage, call }
}

/**
 * What identifies a model call among all sessions of all agents. A call that other sessions repeat has an id of its own; any other
 * is identified by its session and event, which are the same in the agent's store and in every copy.
 */
export function callIdentity(agent: string, session: string, { id, call }: Pick<CallEvent, 'id' | 'call'>): string {
  return call?.id === undefined ? `${session}#${id}` : `${agent}/${call.id}`
}
