import { expect } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { TokenUsage } from '../../src/events/event.ts'
import { type CallEvent, callIdentity, hasUsage } from '../../src/events/model-call.ts'
import { addTokens, noTokens, type SessionHead } from '../../src/events/session.ts'
import { LineCursor } from '../../src/native/line-cursor.ts'
import { readContext, type UncountedUsage } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { listAll, readAll } from './read-all.ts'

/** What all sessions of a store say about model calls, each call counted once. */
export interface StoreUsage {
  readonly total: TokenUsage
  /** The tokens of each call by its identity. */
  readonly calls: ReadonlyMap<string, TokenUsage>
  /** The identities in each session, by native id. */
  readonly sessions: Readonly<Record<string, readonly string[]>>
  readonly uncounted: readonly (Pick<UncountedUsage, 'reason' | 'usage'> & { readonly session: string })[]
}

/** Reads a whole store and holds it to itself: a call that two sessions have is the same in both, and the scanner agrees. */
export function storeUsage(agent: Agent, io: Io): StoreUsage {
  const calls = new Map<string, TokenUsage>()
  const sessions: Record<string, string[]> = {}
  const uncounted: StoreUsage['uncounted'][number][] = []
  for (const head of listAll(agent, io).heads) {
    const onUncounted = ({ reason, usage }: UncountedUsage): void => {
      uncounted.push({ session: head.native_id, reason, usage })
    }
    const { events } = readAll(agent, head, io, { ...readContext(io), onUncounted })
    const own = new Map<string, TokenUsage>()
    for (const event of events.filter(hasUsage)) {
      const identity = callIdentity(agent.id, head.id, event)
      own.set(identity, addTokens(own.get(identity) ?? noTokens, event.token_usage))
    }
    for (const [identity, usage] of own) {
      expect(calls.get(identity) ?? usage, `${identity} in ${head.native_id}`).toEqual(usage)
      calls.set(identity, usage)
    }
    sessions[head.native_id] = [...own.keys()]
    expectSameCalls(agent, head, io)
  }
  return { total: [...calls.values()].reduce(addTokens, noTokens), calls, sessions, uncounted }
}

/** The scanner reports the calls that reading finds, also when it continues from a bookmark after any line. */
export function expectSameCalls(agent: Agent, head: SessionHead, io: Io): void {
  const { scanner } = agent
  if (!scanner || scanner.applies?.(head) === false) return
  const read = readAll(agent, head, io).events.filter(hasUsage).map(callFields)
  expect(scannedCalls(agent, head, io), head.path).toEqual(read)
  expect(scannedCalls(agent, head, io, true), `${head.path}, continued`).toEqual(read)
}

/** The fields that a report of a call has. An id may have a suffix only where the call has an id of its own. */
export function callFields({ id, timestamp, model, token_usage, call }: CallEvent): CallEvent {
  return {
    id: call?.id === undefined ? id : id.replace(/~\d+$/, ''),
    timestamp,
    ...(model === undefined ? {} : { model }),
    ...(token_usage ? { token_usage } : {}),
    ...(call ? { call } : {}),
  }
}

function scannedCalls(agent: Agent, head: SessionHead, io: Io, stops = false): CallEvent[] {
  const scanner = agent.scanner!
  const reported: CallEvent[] = []
  let state = scanner.start()
  const cursor = new LineCursor(head.path, readContext(io))
  while (cursor.next()) {
    scanner.count(state, cursor, (event) => reported.push(callFields(event)))
    if (stops) state = JSON.parse(JSON.stringify(state))
  }
  cursor.close()
  return reported
}
