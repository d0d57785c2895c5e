import { expect, test } from 'vitest'
import { type CallDimensions, type CallFilter, type CallGroup, SLOT_MS } from '../catalog/calls/call-groups.ts'
import type { Calls } from '../catalog/calls/calls.ts'
import { usageOverview } from './overview.ts'
import { priceBook } from './prices/price-book.ts'
import { timeZone } from './zone.ts'

interface Called {
  readonly at: string
  readonly session: string
  readonly tokens: number
  readonly cost: number | null
  readonly model?: string | null
}

/** An index with these calls. */
function callsOf(called: readonly Called[]): Calls {
  const groups = ({ since, until }: CallFilter, by: CallDimensions): CallGroup[] =>
    called
      .map(({ at, ...one }) => ({ ...one, at: Date.parse(at) }))
      .filter(({ at }) => (!since || at >= since.getTime()) && (!until || at < until.getTime()))
      .map(({ at, session, tokens, cost, model = 'm' }) => ({
        ...{ agent: 'a', model, slot: by.slot ? Math.floor(at / SLOT_MS) : null, session: by.session ? session : null },
        ...{ project: by.project ? `/project of ${session}` : null, first: at, last: at, calls: 1, sums: 0 },
        ...{ input: tokens, output: 0, cache_read: 0, cache_write: 0, cache_write_1h: 0, reasoning: 0, cost },
        ...{ unpriced_calls: cost === null ? 1 : 0, unpriced_tokens: cost === null ? tokens : 0 },
        ...{ cost_given: null, given_to_compare: null, cost_to_compare: null },
      }))
  return {
    groups,
    models: () => ['m'],
    repeated: () => 3,
    describe: (id) => ({ title: `title of ${id}`, project: null, parent_session: null }),
    countedIn: () => undefined,
  }
}

const book = priceBook({ source: 'test', date: '2026-11-01', rows: [] } as never, [])
const zone = timeZone('Europe/Berlin')

test('days are those of the time zone; a chosen day selects sessions, and nothing else', () => {
  const calls = callsOf([
    { at: '2026-11-01T22:59:00Z', session: 'early', tokens: 1, cost: 10 },
    { at: '2026-11-01T23:01:00Z', session: 'both', tokens: 2, cost: 20 },
    { at: '2026-11-02T12:00:00Z', session: 'both', tokens: 4, cost: null, model: null },
    { at: '2026-11-03T12:00:00Z', session: 'both', tokens: 8, cost: 80 },
  ])
  const day = { since: zone.startOf('2026-11-02'), until: zone.startOf('2026-11-03') }
  const overview = usageOverview(calls, { zone, day, top: 9 }, book)
  expect(overview.days).toMatchObject([
    { day: '2026-11-01', parts: [{ agent: 'a', model: 'm', tokens: 1, cost: 10 }] },
    {
      day: '2026-11-02',
      parts: [
        { model: 'm', tokens: 2, cost: 20 },
        { model: null, tokens: 4, cost: null },
      ],
    },
    { day: '2026-11-03', parts: [{ model: 'm', tokens: 8, cost: 80 }] },
  ])
  expect(overview.total).toMatchObject({ calls: 4, cost: 110, unpriced_tokens: 4 })
  expect(overview.sessions).toEqual({
    rows: [{ key: 'both', tokens: 6, cost: 20, unpriced_tokens: 4, title: 'title of both' }],
    count: 1,
  })
  expect(overview.projects.rows).toHaveLength(2)
  expect(overview.models.rows.map(({ key, tokens }) => [key, tokens])).toEqual([
    ['m', 11],
    ['', 4],
  ])
})

test('of many sessions those that used most, by cost and by tokens, and how many there are', () => {
  const at = '2026-11-01T12:00:00Z'
  const called = Array.from({ length: 100 }, (_, n) => ({ at, session: `s${n}`, tokens: n, cost: 1000 - n }))
  const free = [
    { at, session: 'free', tokens: 500, cost: null },
    { at, session: 'little', tokens: 0, cost: null },
  ]
  const { sessions } = usageOverview(callsOf([...called, ...free]), { zone, day: undefined, top: 2 }, book)
  expect(sessions.count).toBe(102)
  expect(sessions.rows.map(({ key }) => key)).toEqual(['s0', 's1', 'free', 's99'])
})
