import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startSummary } from '../../agents/summarise.ts'
import { type CallEvent, callIdentity } from '../../events/model-call.ts'
import type { SessionHead } from '../../events/session.ts'
import { hash53 } from '../../platform/hash.ts'
import { type Database, openDatabase } from '../../platform/sqlite.ts'
import { lateIndexes, tables } from '../schema.ts'
import { SessionStore } from '../session-store.ts'
import { type CallGroup, type CallRate, groupCalls } from './call-groups.ts'
import { callsOf } from './calls.ts'
import { settleCalls } from './settle.ts'

/** An index of one source per session. */
class Sessions {
  readonly database: Database = openDatabase(':memory:')
  readonly #store: SessionStore
  readonly #sources = new Map<string, number>()

  constructor() {
    this.database.exec(tables + lateIndexes)
    this.#store = new SessionStore(this.database)
  }

  put(
    name: string,
    events: readonly CallEvent[],
    more: Partial<SessionHead> & { store?: string } = {},
    isMore = false,
  ): void {
    const id = more.id ?? name
    const { store = 'claude', ...head } = more
    if (!this.#sources.has(name)) {
      this.database.prepare('INSERT INTO source(agent, path, stamp) VALUES (?, ?, ?)').run(store, name, '')
      this.#sources.set(name, this.#sources.size + 1)
    }
    const source = this.#sources.get(name)!
    const session = {
      head: { ...headOf(id, name), ...head },
      summary: startSummary(),
      scan: undefined,
      calls: { events, isMore },
    }
    this.#store.put({ id: source, path: name, store }, session, this.#store.keys(source).get(id))
  }

  delete(name: string): void {
    const source = this.#sources.get(name)
    if (source !== undefined) for (const key of this.#store.keys(source).values()) this.#store.delete(key)
  }

  groups(rates: readonly CallRate[] = []): CallGroup[] {
    return groupCalls(settleCalls(this.database), {}, { session: true }, rates)
  }

  /** Output tokens by session. */
  outputs(): Record<string, number> {
    return Object.fromEntries(this.groups().map(({ session, output }) => [session, output]))
  }
}

function headOf(id: string, path: string): SessionHead {
  return {
    ...{
      id,
      agent: 'claude',
      native_id: id,
      path,
      title: null,
      cwd: '/home/dev/shop',
      created_at: '2026-11-01T00:00:00.000Z',
    },
    ...{ updated_at: null, model: null, bytes: 0, revision: '', agent_version: null, format: 'f', resumable: true },
  }
}

function call(id: string, output: number, more: Partial<CallEvent> = {}): CallEvent {
  const token_usage = { input: 0, output, cache_read: 0, cache_write: 0, reasoning: 0 }
  return { id: `event of ${id}`, timestamp: '2026-11-18T12:00:00.000Z', model: 'm', token_usage, call: { id }, ...more }
}

test('a call counts in the earliest session that has it, in whatever order they are indexed', () => {
  const early = { created_at: '2026-10-01T00:00:00.000Z' }
  for (const order of [
    ['old', 'fork'],
    ['fork', 'old'],
  ]) {
    const sessions = new Sessions()
    for (const name of order) {
      if (name === 'old') sessions.put('old', [call('a', 1), call('b', 2)], early)
      else sessions.put('fork', [call('a', 1), call('b', 2), call('c', 4)])
    }
    expect(sessions.outputs()).toEqual({ old: 3, fork: 4 })
    sessions.delete('old')
    expect(sessions.outputs()).toEqual({ fork: 7 })
    sessions.put('old', [call('a', 1), call('b', 2)], early)
    expect(sessions.outputs()).toEqual({ old: 3, fork: 4 })
  }
})

test('of sessions that begin at the same time, the one that the others come from counts the calls', () => {
  const calls = [call('a', 1), call('b', 2)]
  for (const derived of [{ forked_from: 'zzz' }, { parent_session: 'zzz' }]) {
    const sessions = new Sessions()
    sessions.put('aaa', calls, derived)
    sessions.put('zzz', calls)
    expect(sessions.outputs()).toEqual({ zzz: 3 })
    sessions.put('aaa', [...calls, call('c', 4)], derived)
    expect(sessions.outputs()).toEqual({ zzz: 3, aaa: 4 })
  }
})

test('a call in parts is one call at the time of the first, also if a range begins between them', () => {
  const sessions = new Sessions()
  const parts = [
    call('a', 1, { timestamp: '2026-11-17T23:59:50.000Z' }),
    call('a', 2, { timestamp: '2026-11-18T00:00:10.000Z', id: 'its second part' }),
  ]
  sessions.put('one', parts)
  sessions.put('two', parts)
  const midnight = new Date('2026-11-18T00:00:00.000Z')
  const ask = (filter: Parameters<typeof groupCalls>[1]): unknown =>
    groupCalls(settleCalls(sessions.database), filter, {}, []).map(({ calls, output }) => [calls, output])
  expect([ask({}), ask({ until: midnight }), ask({ since: midnight })]).toEqual([[[1, 3]], [[1, 3]], []])
})

test('the session that knows more of a call counts it: a fork was made while it was being answered', () => {
  const sessions = new Sessions()
  sessions.put('first', [call('a', 1)], { created_at: '2026-10-01T00:00:00.000Z' })
  sessions.put('second', [call('a', 1), call('a', 9, { id: 'its second part' })])
  expect(sessions.outputs()).toEqual({ second: 10 })
  expect(sessions.groups()).toMatchObject([{ calls: 1 }])
})

test('records of calls that count in another session: those of a copy, and those that a fork repeats', () => {
  const sessions = new Sessions()
  const early = { created_at: '2026-10-01T00:00:00.000Z' }
  const parts = [call('a', 1), call('a', 2, { id: 'its second part' }), call('b', 4)]
  sessions.put('one', parts, early)
  sessions.put('copy of one', parts, { ...early, id: 'one', store: 'ion' })
  expect([sessions.outputs(), settleCalls(sessions.database).repeated]).toEqual([{ one: 7 }, 3])
  sessions.put('fork', [...parts.slice(0, 2), call('c', 8)])
  expect([sessions.outputs(), settleCalls(sessions.database).repeated]).toEqual([{ one: 7, fork: 8 }, 5])
  sessions.delete('one')
  expect([sessions.outputs(), settleCalls(sessions.database).repeated]).toEqual([{ one: 7, fork: 8 }, 2])
})

test('where a call counts is known of each: of copies, of forks with the same calls, and of those in one session', () => {
  const sessions = new Sessions()
  const early = { created_at: '2026-10-01T00:00:00.000Z' }
  sessions.put('same fork', [call('a', 1), call('b', 2)])
  sessions.put('one', [call('a', 1), call('b', 2)], early)
  sessions.put('fork', [call('b', 2), call('c', 4)])
  const countedIn = (id: string): string | undefined =>
    callsOf(sessions.database, () => null).countedIn(hash53(callIdentity('claude', '', call(id, 0))))
  expect(['a', 'b', 'c', 'd'].map(countedIn)).toEqual(['one', 'one', 'fork', undefined])
  sessions.delete('fork')
  expect(['a', 'b', 'c', 'd'].map(countedIn)).toEqual(['one', 'one', undefined, undefined])
})

test('a record that used nothing and cost nothing is not a call', () => {
  const sessions = new Sessions()
  sessions.put('one', [call('a', 0), call('b', 1), call('c', 0, { call: { id: 'c', cost: 5 } })])
  expect(sessions.groups()).toMatchObject([{ calls: 2, output: 1, cost_given: 5 }])
})

test('calls without an id of their own are those of their session, also in its archived copy', () => {
  const sessions = new Sessions()
  const own = call('a', 5, { call: {} })
  sessions.put('one', [own])
  sessions.put('two', [own])
  sessions.put('copy of one', [own], { id: 'one', store: 'ion' })
  expect(sessions.outputs()).toEqual({ one: 5, two: 5 })
  sessions.delete('one')
  expect(sessions.outputs()).toEqual({ one: 5, two: 5 })
})

test('a line that was counted before it was complete counts once', () => {
  const sessions = new Sessions()
  sessions.put('one', [call('a', 1), call('b', 2)])
  sessions.put('one', [call('b', 3), call('c', 4)], {}, true)
  expect(sessions.outputs()).toEqual({ one: 8 })
  sessions.put('one', [call('b', 2)])
  expect(sessions.outputs()).toEqual({ one: 2 })
})

test('a report writes nothing', () => {
  const sessions = new Sessions()
  sessions.put('one', [call('a', 1)])
  sessions.put('two', [call('a', 1)])
  const changes = (): unknown => sessions.database.prepare('SELECT total_changes() AS n').get()
  const before = changes()
  expect(sessions.outputs()).toEqual({ one: 1 })
  expect(changes()).toEqual(before)
})

/** Which calls a session has, by letters: two sessions with the same letter repeat a call. */
const letters = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 6 })
const step = fc.record({
  session: fc.constantFrom('s1', 's2', 's3', 's4', 's5'),
  calls: letters,
  what: fc.constantFrom('put', 'append', 'delete', 'report'),
})

test('whatever sessions, forks and copies come and go, each call counts once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const sessions = new Sessions()
      const known = new Map<string, Set<string>>()
      const output = (letter: string): number => 1 << (letter.charCodeAt(0) - 97)
      for (const { session, calls, what } of steps) {
        const events = calls.map((letter) => call(letter, output(letter)))
        const created_at = `2026-10-0${session.slice(1)}T00:00:00.000Z`
        if (what === 'delete') {
          sessions.delete(session)
          known.delete(session)
        } else if (what === 'report') sessions.groups()
        else {
          const isMore = what === 'append' && known.has(session)
          sessions.put(session, events, { created_at }, isMore)
          known.set(session, new Set([...(isMore ? known.get(session)! : []), ...calls]))
        }
      }
      const expected: Record<string, number> = {}
      const counted = new Set<string>()
      for (const name of [...known.keys()].sort()) {
        for (const letter of known.get(name)!) {
          if (counted.has(letter)) continue
          counted.add(letter)
          expected[name] = (expected[name] ?? 0) + output(letter)
        }
      }
      expect(sessions.outputs()).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test('groups have the sums of their calls, and filters select among them', () => {
  const sessions = new Sessions()
  const at = (timestamp: string, more: Partial<CallEvent> = {}): CallEvent =>
    call(timestamp, 10, { timestamp, ...more })
  sessions.put('one', [
    at('2026-11-18T12:00:00.000Z'),
    at('2026-11-18T12:14:59.999Z'),
    at('2026-11-18T12:15:00.000Z', { model: 'n' }),
  ])
  sessions.put('two', [at('2026-11-17T00:00:00.000Z')], { agent: 'codex', cwd: '/home/dev/shop2' })
  const ask = (filter: Parameters<typeof groupCalls>[1], by: Parameters<typeof groupCalls>[2] = {}) =>
    groupCalls(settleCalls(sessions.database), filter, by, []).map(({ agent, model, slot, project, calls, output }) => [
      agent,
      model,
      slot,
      project,
      calls,
      output,
    ])
  expect(ask({}, { slot: true })).toEqual([
    ['claude', 'm', Date.parse('2026-11-18T12:00:00Z') / 900_000, null, 2, 20],
    ['claude', 'n', Date.parse('2026-11-18T12:15:00Z') / 900_000, null, 1, 10],
    ['codex', 'm', Date.parse('2026-11-17T00:00:00Z') / 900_000, null, 1, 10],
  ])
  expect(ask({}, { project: true }).map((group) => group[3])).toEqual([
    '/home/dev/shop',
    '/home/dev/shop',
    '/home/dev/shop2',
  ])
  expect(ask({ project: '/home/dev/shop' }).map((group) => group[4])).toEqual([2, 1])
  expect(ask({ agents: ['codex'] })).toHaveLength(1)
  expect(ask({ models: ['n'] })).toEqual([['claude', 'n', null, null, 1, 10]])
  expect(ask({ since: new Date('2026-11-18T12:14:59.999Z'), until: new Date('2026-11-18T12:15:00.000Z') })).toEqual([
    ['claude', 'm', null, null, 1, 10],
  ])
  expect(ask({ session: 'two' })).toHaveLength(1)
})

test('a call without a price is counted as such, and never as one that costs nothing', () => {
  const sessions = new Sessions()
  const rate: CallRate = {
    ...{ model: 'priced', tier: 'standard', from: 0, to: 8.64e15, above: -1, upTo: 1e15 },
    ...{ input: 1_000_000, output: 2_500_000, cache_read: null, cache_write: null, cache_write_1h: null },
  }
  const usage = (input: number, output: number, cache_read = 0): CallEvent['token_usage'] => ({
    input,
    output,
    cache_read,
    cache_write: 0,
    reasoning: 0,
  })
  sessions.put('one', [
    call('1', 0, { model: 'priced', token_usage: usage(10, 1) }),
    call('2', 0, { model: 'priced', token_usage: usage(0, 0, 7), call: { id: '2', cost: 99 } }),
    call('3', 0, { model: 'priced', token_usage: usage(1, 0, 7), call: { id: '3', cost: 4 } }),
    call('4', 0, { model: 'unpriced', token_usage: usage(5, 5) }),
    call('5', 0, { model: 'priced', token_usage: usage(5, 5), call: { id: '5', tier: 'flex' } }),
    call('7', 0, { model: 'priced', token_usage: usage(3, 0), call: { id: '7', cost: 5 } }),
    call('6', 0, { model: undefined, token_usage: usage(1, 1), call: { id: '6', is_sum: true } }),
  ])
  const figures = groupCalls(settleCalls(sessions.database), {}, {}, [rate]).map(
    ({ model, calls, sums, cost, unpriced_calls, unpriced_tokens, cost_given, given_to_compare, cost_to_compare }) => ({
      model,
      calls,
      sums,
      cost,
      unpriced_calls,
      unpriced_tokens,
      cost_given,
      given_to_compare,
      cost_to_compare,
    }),
  )
  expect(figures).toEqual([
    {
      model: null,
      calls: 1,
      sums: 1,
      cost: null,
      unpriced_calls: 1,
      unpriced_tokens: 2,
      cost_given: null,
      given_to_compare: null,
      cost_to_compare: null,
    },
    // 10 + 2.5, rounded half up, 1 and 3; only the last has both costs completely. The calls without any rate for what they used cost nothing that is known.
    {
      model: 'priced',
      calls: 5,
      sums: 0,
      cost: 17,
      unpriced_calls: 2,
      unpriced_tokens: 7 + 7 + 10,
      cost_given: 108,
      given_to_compare: 5,
      cost_to_compare: 3,
    },
    {
      model: 'unpriced',
      calls: 1,
      sums: 0,
      cost: null,
      unpriced_calls: 1,
      unpriced_tokens: 10,
      cost_given: null,
      given_to_compare: null,
      cost_to_compare: null,
    },
  ])
})
