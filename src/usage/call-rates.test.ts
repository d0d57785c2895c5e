import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startSummary } from '../agents/summarise.ts'
import { groupCalls } from '../catalog/calls/call-groups.ts'
import { settleCalls } from '../catalog/calls/settle.ts'
import { tables } from '../catalog/schema.ts'
import { SessionStore } from '../catalog/session-store.ts'
import type { CallEvent } from '../events/model-call.ts'
import { openDatabase } from '../platform/sqlite.ts'
import { callRates } from './call-rates.ts'
import { costOf } from './prices/cost.ts'
import { priceBook } from './prices/price-book.ts'
import { kinds, type PriceRow, tiers } from './prices/price-row.ts'

const rates = fc.record(Object.fromEntries(kinds.map((kind) => [kind, fc.integer({ min: 0, max: 200_000_000 })])), {
  requiredKeys: [],
})
const bands = fc
  .uniqueArray(fc.record({ tier: fc.constantFrom(...tiers), above: fc.constantFrom(0, 1000, 200_000), rates }), {
    selector: ({ tier, above }) => `${tier} ${above}`,
    maxLength: 6,
  })
  .chain((more) =>
    rates.map((first) => [
      { tier: 'standard' as const, above: 0, rates: first },
      ...more.filter(({ tier, above }) => tier !== 'standard' || above > 0),
    ]),
  )
const days = ['2026-01-01', '2026-06-01', '2026-11-01']
const rows = (model: string): fc.Arbitrary<PriceRow[]> =>
  fc
    .uniqueArray(fc.record({ from: fc.constantFrom(undefined, ...days), bands }), {
      selector: ({ from }) => from ?? '',
      maxLength: 3,
    })
    .map((all) =>
      all
        .sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))
        .map(({ from, bands }) => ({ model, bands, ...(from === undefined ? {} : { from }) })),
    )
const tokens = fc.oneof(fc.constant(0), fc.nat(3000), fc.nat(2_000_000))
const called = fc.record({
  model: fc.constantFrom('one', 'two', 'unknown'),
  tier: fc.constantFrom(undefined, 'flex' as const, 'priority' as const),
  is_sum: fc.constantFrom(false, false, true),
  at: fc.constantFrom(
    '2025-12-31T23:59:59.999Z',
    '2026-01-01T00:00:00.000Z',
    '2026-06-15T00:00:00.000Z',
    '2026-11-18T12:00:00.000Z',
  ),
  // One without any tokens is not a call.
  usage: fc
    .record({ input: tokens, output: tokens, cache_read: tokens, cache_write: tokens, cache_write_1h: tokens })
    .filter((usage) => Object.values(usage).some((count) => count > 0)),
})

test('the index charges each call what costOf does: rates, thresholds, tiers, sums, dates and own prices', () => {
  fc.assert(
    fc.property(
      fc.tuple(rows('one'), rows('two'), rows('one')),
      fc.array(called, { maxLength: 12 }),
      ([one, two, own], calls) => {
        const book = priceBook({ source: 'a test', date: '2026-11-18', rows: [...one, ...two] }, own)
        const events = calls.map(
          ({ model, tier, is_sum, at, usage }, index): CallEvent => ({
            id: String(index),
            timestamp: at,
            model,
            token_usage: { ...usage, cache_write: usage.cache_write + usage.cache_write_1h, reasoning: 0 },
            ...(tier || is_sum ? { call: { ...(tier ? { tier } : {}), ...(is_sum ? { is_sum } : {}) } } : {}),
          }),
        )
        const costs = events.map(({ token_usage: usage, model, timestamp, call }) =>
          costOf(book, { ...usage!, cache_write_1h: usage!.cache_write_1h! }, model!, {
            at: new Date(timestamp),
            ...(call?.tier ? { tier: call.tier } : {}),
            isSum: call?.is_sum === true,
          }),
        )
        const groups = groupCalls(settleCalls(indexOf(events)), {}, {}, callRates(book, ['one', 'two', 'unknown']))
        const sum = (of: (group: (typeof groups)[number]) => number | null): number =>
          groups.reduce((total, group) => total + (of(group) ?? 0), 0)
        expect(sum(({ cost }) => cost)).toBe(costs.reduce((total, cost) => total + (cost?.micros ?? 0), 0))
        expect(sum(({ unpriced_calls }) => unpriced_calls)).toBe(costs.filter((cost) => !cost).length)
        for (const { model, cost } of groups) {
          expect(cost === null, `${model}`).toBe(events.every((event, at) => event.model !== model || !costs[at]))
        }
      },
    ),
    { numRuns: 300 },
  )
})

function indexOf(events: readonly CallEvent[]): ReturnType<typeof openDatabase> {
  const database = openDatabase(':memory:')
  database.exec(tables)
  const head = {
    ...{
      id: 's',
      agent: 'codex',
      native_id: 's',
      path: '/s',
      title: null,
      cwd: null,
      created_at: null,
      updated_at: null,
    },
    ...{ model: null, bytes: 0, revision: '', agent_version: null, format: '', resumable: true },
  }
  const session = { head, summary: startSummary(), scan: undefined, calls: { events, isMore: false } }
  new SessionStore(database).put({ id: 1, path: '/s', store: 'codex' }, session, undefined)
  return database
}
