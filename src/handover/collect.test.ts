import { expect, test } from 'vitest'
import { sampleLog } from '../../test/support/sample-events.ts'
import type { IonEvent } from '../events/event.ts'
import type { SessionItem } from '../events/item.ts'
import { collect, type Extent } from './collect.ts'
import { Losses } from './report.ts'

const said = (id: string) => ({ type: 'user' as const, id, content: id })
const answered = (id: string) => ({ type: 'assistant' as const, id, content: [{ type: 'text' as const, text: id }] })

function collected(
  events: readonly IonEvent[],
  extent: Extent = {},
): { ids: string[]; last: string | null; losses: string[] } {
  const losses = new Losses()
  const items = events.map((event): SessionItem => ({ event }))
  const { events: kept, last } = collect(() => items, extent, losses)
  return { ids: kept.map(({ id }) => id), last, losses: losses.list.map(({ count, reason }) => `${count} ${reason}`) }
}

const three = sampleLog(said('u1'), answered('a1'), said('u2'), answered('a2'), said('u3'), answered('a3'))

test('all events of a session without branches', () => {
  expect(collected(three)).toEqual({ ids: ['u1', 'a1', 'u2', 'a2', 'u3', 'a3'], last: 'a3', losses: [] })
})

test('only the branch that was continued last', () => {
  const events = three.map((event) => (event.id === 'u3' ? { ...event, parent_id: 'a1' } : event))
  expect(collected(events)).toEqual({
    ids: ['u1', 'a1', 'u3', 'a3'],
    last: 'a3',
    losses: ['2 on a branch that was left'],
  })
})

test('the last of two compactions, with what it preserved, and what follows', () => {
  const compaction = (id: string, preserved: string[]) => ({
    type: 'compaction' as const,
    id,
    summary: id,
    replaces: [],
    preserved,
  })
  const events = sampleLog(
    said('u1'),
    answered('a1'),
    compaction('s1', []),
    said('u2'),
    answered('a2'),
    compaction('s2', ['a2']),
    said('u3'),
  )
  expect(collected(events)).toEqual({
    ids: ['s2', 'a2', 'u3'],
    last: 'u3',
    losses: ['4 replaced by the summary of a compaction'],
  })
})

test('what a sub-agent did is left out: its result is in the call', () => {
  const events = three.map((event) => (event.id === 'a2' ? { ...event, sub_agent: 'x' } : event))
  expect(collected(events).ids).toEqual(['u1', 'a1', 'u2', 'u3', 'a3'])
})

test.each<[Extent, string[]]>([
  [{ since: { turn: 2 } }, ['u2', 'a2', 'u3', 'a3']],
  [{ since: { event: 'a2' } }, ['a2', 'u3', 'a3']],
  [{ until: { turn: 1 } }, ['u1', 'a1']],
  [{ until: { turn: 3 } }, ['u1', 'a1', 'u2', 'a2', 'u3', 'a3']],
  [{ until: { event: 'u2' } }, ['u1', 'a1', 'u2']],
  [{ since: { turn: 2 }, until: { turn: 2 } }, ['u2', 'a2']],
])('from and up to a place: %j', (extent, ids) => {
  expect(collected(three, extent).ids).toEqual(ids)
})

test.each<[Extent, RegExp]>([
  [{ since: { turn: 4 } }, /no turn 4: it has 3/],
  [{ until: { turn: 9 } }, /no turn 9: it has 3/],
  [{ since: { event: 'nope' } }, /no event nope/],
  [{ until: { event: 'nope' } }, /no event nope/],
])('a place that the session does not have is an error: %j', (extent, message) => {
  expect(() => collected(three, extent)).toThrow(message)
})
